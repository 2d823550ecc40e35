/* SPDX-License-Identifier: MIT */
/* The start and the end of a generator's body. The switch itself is inline, in include/uat/detail/generator.h. */
#include "asm/aarch64/entry.h"

/* struct uat_generator; runtime/generator.c asserts the offsets. */
#define INSIDE_PC  16
#define OUTSIDE    24
#define OUTSIDE_SP 24
#define GUARD      48
#define BODY       56

/*
 * void uat_generator_enter(void)		x2: struct uat_generator *; the switch has already taken its `inside`
 * clobbers: all. The first switch to a generator jumps here, with the stack pointer at the top of the generator's
 * stack. Backtraces end here, because there is no caller. The switch saves no register for the user's side: the inline
 * code there has declared all registers as clobbered.
 */
FUNCTION uat_generator_enter, public
	.cfi_undefined x30
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	str	x2, [sp]
	mov	x0, x2
	ldr	x9, [x2, #BODY]
	blr	x9
	ldr	x2, [sp]
	ldr	x9, [x2, #GUARD]
	ldr	x9, [x9]
	mov	x10, #0x7c15			/* UAT_GENERATOR_GUARD */
	movk	x10, #0x7f4a, lsl #16
	movk	x10, #0x79b9, lsl #32
	movk	x10, #0x9e37, lsl #48
	cmp	x9, x10
	b.ne	1f
	adr	x9, .Lover
	str	x9, [x2, #INSIDE_PC]		/* each later uat_generator_next() returns "no value" at once */
	add	x1, x2, #OUTSIDE
.Lover:						/* x1: &outside, set by the switch that jumps here. Needs no stack. */
	hint	#36				/* BTI j */
	ldp	x9, x29, [x1]
	ldr	x16, [x1, #16]
	mov	sp, x9
	mov	x0, #0
	mov	x1, #0				/* no value */
	br	x16
1:	mov	x0, x2
	b	uat_generator_overflow
END uat_generator_enter

/*
 * void uat_generator_overflow(struct uat_generator *g)
 * clobbers: does not return. Reports the overflow on the user's stack, because the generator's stack has no room.
 */
FUNCTION uat_generator_overflow, public
	.cfi_undefined x30
	ldr	x9, [x0, #OUTSIDE_SP]
	and	sp, x9, #-16
	bl	uat_generator_report
	brk	#1
END uat_generator_overflow

	.section .note.GNU-stack, "", %progbits
