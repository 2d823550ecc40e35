/* SPDX-License-Identifier: MIT */
/* The words at a continuation's stack pointer on aarch64, and the alignment of stacks. A stack pointer is always a
 * multiple of 16, and a call pushes nothing. */
#ifndef UAT_CONTINUATION_H
#define UAT_CONTINUATION_H

#define UAT_SAVED_SIZE     160 /* x29 x30 x19-x28 d8-d15; the continuation resumes at x30 */
#define UAT_RETURN_SIZE    0   /* bytes of a return address above the registers: none */
#define UAT_STACK_TOP_ROOM 16  /* bytes above the first continuation, to align it */
#define UAT_FRAME_SIZE     32
#define UAT_FRAME_ALIGN    16

#ifndef __ASSEMBLER__
#include <stdint.h>

/* base: the callee-saved register that holds the base of the probe thread's stack; see probe_thread.S. */
struct uat_continuation {
    uint64_t x29, pc, base, x20_x28[9], d8_d15[8];
};
#endif

#endif
