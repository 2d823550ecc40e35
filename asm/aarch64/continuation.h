/* SPDX-License-Identifier: MIT */
/* What lies at a continuation's stack pointer on aarch64, and how stacks are aligned. Stack pointers are multiples of
 * 16, and a call pushes nothing. */
#ifndef UAT_CONTINUATION_H
#define UAT_CONTINUATION_H

#define UAT_SAVED_SIZE     160 /* x29 x30 x19-x28 d8-d15; x30 is where it continues */
#define UAT_RETURN_SIZE    0   /* bytes of a return address above them: none */
#define UAT_STACK_TOP_ROOM 16  /* bytes above the first continuation, which aligns it */
#define UAT_FRAME_SIZE     32
#define UAT_FRAME_ALIGN    16

#ifndef __ASSEMBLER__
#include <stdint.h>

/* base: a register that a call preserves, which is the base of the probe thread's stack: see probe_thread.S. */
struct uat_continuation {
    uint64_t x29, pc, base, x20_x28[9], d8_d15[8];
};
#endif

#endif
