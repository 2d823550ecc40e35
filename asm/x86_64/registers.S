/* SPDX-License-Identifier: MIT */
/* For tests: see asm/registers.h. */
#include "asm/x86_64/entry.h"

FUNCTION uat_registers_spawn, hidden
	SAVE_REGISTERS
	sub	$8, %rsp			/* aligned */
	.cfi_adjust_cfa_offset 8
	mov	$11, %ebx
	mov	$12, %ebp
	mov	$13, %r12d
	mov	$14, %r13d
	mov	$15, %r14d
	mov	$16, %r15d
	call	uat_spawn@PLT
	xor	%eax, %eax
	xor	$11, %rbx
	xor	$12, %rbp
	xor	$13, %r12
	xor	$14, %r13
	xor	$15, %r14
	xor	$16, %r15
	.irp	register, %rbx, %rbp, %r12, %r13, %r14, %r15
	neg	\register			/* sets the carry unless it was 0 */
	adc	$0, %rax
	.endr
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	RESTORE_REGISTERS
	ret
END uat_registers_spawn

FUNCTION uat_registers_task, hidden
	SAVE_REGISTERS
	.irp	register, %rbx, %rbp, %r12, %r13, %r14, %r15
	mov	$-1, \register
	.endr
	mov	(%rdi), %rax
	inc	%rax
	mov	%rax, (%rsi)
	RESTORE_REGISTERS
	ret
END uat_registers_task

	.section .note.GNU-stack, "", @progbits
