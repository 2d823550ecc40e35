/* SPDX-License-Identifier: MIT */
/* The start and the end of a generator's body. The switch itself is inline, in include/uat/detail/generator.h. */
#include "asm/x86_64/entry.h"

/* struct uat_generator; runtime/generator.c asserts the offsets. */
#define INSIDE_PC  16
#define OUTSIDE    24
#define OUTSIDE_SP 24
#define GUARD      48
#define BODY       56

/*
 * void uat_generator_enter(void)		rdi: struct uat_generator *; the switch has already taken its `inside`
 * clobbers: all. The first switch to a generator jumps here, with the stack pointer at the top of the generator's
 * stack. Backtraces end here, because there is no caller. The switch saves no register for the user's side: the inline
 * code there has declared all registers as clobbered.
 */
FUNCTION uat_generator_enter, public
	.cfi_undefined rip
	push	%rdi
	sub	$8, %rsp			/* aligned */
	.cfi_def_cfa_offset 24
	call	*BODY(%rdi)
	mov	8(%rsp), %rdi
	movabs	$0x9e3779b97f4a7c15, %rax	/* UAT_GENERATOR_GUARD */
	mov	GUARD(%rdi), %rcx
	cmp	%rax, (%rcx)
	jne	uat_generator_overflow@PLT
	lea	.Lover(%rip), %rcx
	mov	%rcx, INSIDE_PC(%rdi)		/* each later uat_generator_next() returns "no value" at once */
	lea	OUTSIDE(%rdi), %rdx
.Lover:						/* rdx: &outside, set by the switch that jumps here. Needs no stack. */
#if defined(__CET__) && (__CET__ & 1)
	endbr64
#endif
	mov	(%rdx), %rsp
	mov	8(%rdx), %rbp
	mov	16(%rdx), %rcx
	xor	%eax, %eax
	xor	%edx, %edx			/* no value */
	jmp	*%rcx
END uat_generator_enter

/*
 * void uat_generator_overflow(struct uat_generator *g)
 * clobbers: does not return. Reports the overflow on the user's stack, because the generator's stack has no room. It
 * does not touch the 256 bytes below the user's stack pointer, because the compiler may keep data there (red zone).
 */
FUNCTION uat_generator_overflow, public
	.cfi_undefined rip
	mov	OUTSIDE_SP(%rdi), %rsp
	sub	$256, %rsp
	and	$-16, %rsp
	call	uat_generator_report
	ud2
END uat_generator_overflow

	.section .note.GNU-stack, "", @progbits
