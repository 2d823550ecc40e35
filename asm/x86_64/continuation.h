/* SPDX-License-Identifier: MIT */
/* The words at a continuation's stack pointer on x86-64, and the alignment of stacks. A stack pointer is a multiple of
 * 16 before a call; the call then pushes the return address. */
#ifndef UAT_CONTINUATION_H
#define UAT_CONTINUATION_H

#define UAT_SAVED_SIZE     48 /* r15 r14 r13 r12 rbx rbp */
#define UAT_RETURN_SIZE    8  /* bytes of the return address above the registers */
#define UAT_STACK_TOP_ROOM 8  /* bytes above the first continuation: as large as a pushed return address */
#define UAT_FRAME_SIZE     24
#define UAT_FRAME_ALIGN    8

#ifndef __ASSEMBLER__
#include <stdint.h>

/* base: the callee-saved register that holds the base of the probe thread's stack; see probe_thread.S. */
struct uat_continuation {
    uint64_t r15, r14, r13, r12, base, rbp, pc;
};
#endif

#endif
