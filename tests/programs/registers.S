/* SPDX-License-Identifier: MIT */
/* uint64_t spawn_and_compare(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size)
 * Calls uat_spawn() with known values in the registers that a call preserves. Returns how many have changed. */
	.text
	.globl	spawn_and_compare
	.type	spawn_and_compare, @function
spawn_and_compare:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	mov	$11, %ebx
	mov	$12, %ebp
	mov	$13, %r12d
	mov	$14, %r13d
	mov	$15, %r14d
	mov	$16, %r15d
	call	uat_spawn
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
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	spawn_and_compare, . - spawn_and_compare
	.section .note.GNU-stack, "", @progbits
