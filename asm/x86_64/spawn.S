/* SPDX-License-Identifier: MIT */
/*
 * Spawn, work-first: the child runs at once. The whole common case is here: push the spawner's continuation, run the
 * child, pop the continuation, deliver the result. The common case has no atomic read-modify-write, no fence and no
 * allocation. It contains uat_deque_push() and uat_deque_pop_private() of deque/owner.h.
 *
 * uat_spawn() copies the argument to the child's stack. uat_spawn_typed() copies nothing: the child itself reads the
 * argument where the spawner wrote it, and copies it before calling any function. Until the child has ended or waits,
 * the spawner's frames stay unchanged on this worker, even if a thief steals the spawner's continuation. There is one
 * exception: under torture, uat_task_pushed() moves the spawner's frames away. So a push that calls uat_task_pushed()
 * copies the argument first. With iso-address stacks every push calls uat_task_pushed(), which copies frame, result and
 * argument to the child's own stack.
 *
 * The stack, downwards (all sizes in bytes):
 *	spawner's frames
 *	return address		8	of the call of uat_spawn()
 *	rbp rbx r12-r15		48
 *  sp: ---- the continuation; entry of the deque; base of the child's stack segment; in rbx while the child runs
 *	struct uat_frame	24
 *	result			result_size rounded up to 8
 *	argument		if copied: arg_size rounded up to 8
 *	padding			so that the sum is a multiple of 16
 *	return address of fn, frames of the child.
 *
 * The stores need no fence: thieves look at none of these words before uat_deque_refill() publishes the entry by a
 * release store. The load of *look (ring->claims) is relaxed, because its value only decides whether to take the slow
 * path. The load pairs with the thieves' atomics in uat_thief_claim().
 */
#include "asm/x86_64/entry.h"

/* Copy rcx bytes upwards: first whole words, then the rest in pieces of 4, 2 and 1 bytes. The spawner probably wrote
 * the rest in such pieces. A load that is wider than those stores would wait for them. Clobbers rax, r11 and rcx. */
.macro COPY from, to
	xor	%eax, %eax
	sub	$8, %rcx
	jb	2f
1:	mov	(\from,%rax), %r11
	mov	%r11, (\to,%rax)
	add	$8, %rax
	sub	$8, %rcx
	jae	1b
2:	test	$4, %cl
	je	3f
	mov	(\from,%rax), %r11d
	mov	%r11d, (\to,%rax)
	add	$4, %rax
3:	test	$2, %cl
	je	4f
	movw	(\from,%rax), %r11w
	movw	%r11w, (\to,%rax)
	add	$2, %rax
4:	test	$1, %cl
	je	5f
	movb	(\from,%rax), %r11b
	movb	%r11b, (\to,%rax)
5:
.endm

/* Save the continuation of a spawn, and put its address into rbx. Fill the frame below it. */
.macro BEGIN_SPAWN
	SAVE_REGISTERS
	mov	%rsp, %rbx
	.cfi_def_cfa rbx, UAT_SAVED_SIZE + 8
	movq	$0, UAT_TASK_RECORD(%rdi)
	mov	%r8, UAT_TASK_RESULT(%rdi)
	mov	%rdi, UAT_FRAME_TASK - UAT_FRAME_SIZE(%rbx)
	mov	%r9, UAT_FRAME_RESULT_SIZE - UAT_FRAME_SIZE(%rbx)	/* result_size, and 0 to pending above it */
.endm

/* void uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size)
 *                rdi            rsi         rdx              rcx              r8            r9
 * clobbers: as a call. Returns when the child has ended, or when a thief resumes the stolen continuation, perhaps in
 * another process. */
FUNCTION uat_spawn, public
	BEGIN_SPAWN
	lea	-8(%r9), %rax
	lea	-8(%rcx), %r10
	or	%r10, %rax
	jne	.Lsizes				/* argument and result are not 8 bytes each */
	mov	(%rdx), %rax
	lea	-(UAT_FRAME_SIZE + 16)(%rbx), %rsp
	mov	%rax, (%rsp)
	mov	%rsp, %rdi
	lea	8(%rsp), %rdx			/* result */
.Lpush:
	mov	uat_worker+UAT_WORKER_TOP(%rip), %rax
	mov	uat_worker+UAT_WORKER_LOOK(%rip), %r10
	mov	%rbx, (%rax)			/* faults on the guard page if the array of entries is full */
	add	$8, %rax
	mov	%rax, uat_worker+UAT_WORKER_TOP(%rip)
	incq	uat_worker+UAT_WORKER_TASKS(%rip)
	mov	uat_worker+UAT_WORKER_PUSH_CLAIMS(%rip), %rax
	cmp	%rax, (%r10)
	jne	.Lpublish
.Lcall:
	mov	%rsi, %rax
	mov	%rdx, %rsi
	.cfi_remember_state
	.cfi_undefined rip			/* backtraces end here: above is the spawner's frame, or no frame */
	call	*%rax
	mov	uat_worker+UAT_WORKER_TOP(%rip), %rax
	mov	uat_worker+UAT_WORKER_LOOK(%rip), %rcx
	mov	uat_worker+UAT_WORKER_POP_CLAIMS(%rip), %rdx
	cmp	%rbx, -8(%rax)			/* is the spawner's continuation still here and unpublished? */
	jne	.Lpop
	cmp	%rdx, (%rcx)
	jne	.Lpop
	sub	$8, %rax
	mov	%rax, uat_worker+UAT_WORKER_TOP(%rip)
.Ldeliver:
	.cfi_restore_state
	mov	UAT_FRAME_TASK - UAT_FRAME_SIZE(%rbx), %rax
	mov	UAT_FRAME_RESULT_SIZE - UAT_FRAME_SIZE(%rbx), %ecx
	mov	UAT_TASK_RESULT(%rax), %rdi
	cmp	$8, %ecx
	jne	.Ldeliver_size
	mov	-(UAT_FRAME_SIZE + 8)(%rbx), %rax
	mov	%rax, (%rdi)
.Lreturn:
	lea	UAT_SAVED_SIZE(%rbx), %rsp
	.cfi_def_cfa rsp, 8
	mov	32(%rbx), %rbx			/* the child has preserved the other registers, as every call does */
	.cfi_same_value rbx
	ret
	.cfi_def_cfa rbx, UAT_SAVED_SIZE + 8
	.cfi_offset rbx, -24

.Lpublish:					/* call uat_task_pushed(), and keep the child's arguments */
	cmp	%rbx, %rdi
	jb	6f				/* the argument is below the continuation: it was copied */
	lea	15(%rcx), %rax
	and	$-16, %rax
	sub	%rax, %rsp
	COPY	%rdi, %rsp
	mov	%rsp, %rdi
6:	push	%rdi
	push	%rsi
	push	%rdx
	push	%rdx				/* aligned */
	mov	%rbx, %rdi
	lea	32(%rsp), %rsi
	call	uat_task_pushed
	pop	%rdx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	sub	%rbx, %rax			/* with iso-address, [rsp, rbx) was copied to the child's berth: move there */
	add	%rax, %rdi
	add	%rax, %rdx
	add	%rax, %rbx
	add	%rax, %rsp
	jmp	.Lcall

.Lpop:						/* uat_task_returned() returns only if the spawner's continuation is here */
	mov	%rbx, %rdi
	.cfi_remember_state
	.cfi_undefined rip
	call	uat_task_returned
	mov	%rax, %rbx			/* sp; with iso-address, rbx was the child's base */
	.cfi_restore_state
	jmp	.Ldeliver

.Lsizes:
	lea	7(%r9), %r11
	and	$-8, %r11			/* result, rounded up */
	lea	7(%rcx), %rax
	and	$-8, %rax
	lea	15(%r11,%rax), %rax
	and	$-16, %rax
	cmp	$1024, %rax
	ja	.Lcheck
.Lcopy:
	mov	%rbx, %r10
	sub	$UAT_FRAME_SIZE, %r10
	mov	%r10, %rsp
	sub	%rax, %rsp
	sub	%r11, %r10			/* result */
	COPY	%rdx, %rsp
	mov	%rsp, %rdi
	mov	%r10, %rdx
	jmp	.Lpush

.Lcheck:					/* uat_task_check(sp, arg_size, result_size) ends the job if the sizes are too large */
	mov	%rsi, %r12
	mov	%rdx, %r13
	mov	%rcx, %r14
	mov	%r11, %r15
	mov	%rax, %rbp
	mov	%rbx, %rdi
	mov	%rcx, %rsi
	mov	%r9, %rdx
	lea	-UAT_FRAME_SIZE(%rsp), %rsp	/* leave room for the frame; keep the alignment */
	call	uat_task_check
	mov	%r12, %rsi
	mov	%r13, %rdx
	mov	%r14, %rcx
	mov	%r15, %r11
	mov	%rbp, %rax
	mov	(%rbx), %r15			/* restore the callee-saved registers that were used */
	mov	8(%rbx), %r14
	mov	16(%rbx), %r13
	mov	24(%rbx), %r12
	mov	40(%rbx), %rbp
	jmp	.Lcopy

.Ldeliver_size:					/* a result whose size is not 8 */
	test	%ecx, %ecx
	je	.Lreturn
	cmp	$16, %ecx
	je	7f
	lea	7(%rcx), %eax
	and	$-8, %eax
	lea	-UAT_FRAME_SIZE(%rbx), %rsi
	sub	%rax, %rsi			/* result */
	COPY	%rsi, %rdi
	jmp	.Lreturn
7:	mov	-(UAT_FRAME_SIZE + 16)(%rbx), %rax
	mov	-(UAT_FRAME_SIZE + 8)(%rbx), %rcx
	mov	%rax, (%rdi)
	mov	%rcx, 8(%rdi)
	jmp	.Lreturn
END uat_spawn

/* void uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size)
 * uat_spawn() for a function that UAT_TASK has generated around a task's body. Sizes need no check here, because
 * argument and result have at most UAT_SPAWN_TYPED_MAX bytes. */
FUNCTION uat_spawn_typed, public
	BEGIN_SPAWN
	mov	%rdx, %rdi
	cmp	$8, %r9d
	jne	8f				/* the result is not 8 bytes */
	sub	$(UAT_FRAME_SIZE + 16), %rsp
	lea	8(%rsp), %rdx
	jmp	.Lpush
8:	lea	-UAT_FRAME_SIZE(%rbx), %rdx
	add	$7, %r9
	and	$-8, %r9
	sub	%r9, %rdx			/* result */
	mov	%rdx, %rsp
	and	$-16, %rsp
	jmp	.Lpush
END uat_spawn_typed

/* void uat_spawn_end(void)			rdx: the continuation that the inline spawn of include/uat/detail/spawn.h saved
 * clobbers: as a call. Never called: the inline spawn jumps here, as uat_spawn() does, if the child's end needs the slow
 * path. Returns to the continuation's pc. */
FUNCTION uat_spawn_end, public
	.cfi_undefined rip
	mov	%rdx, %rbx
	jmp	.Lpop
END uat_spawn_end

/* int uat_start(uintptr_t sp, uat_fn *fn, void *arg, void *result)
 *               rdi           rsi         rdx        rcx
 * clobbers: as a call. Starts a task by a jump to the place in uat_spawn() that calls the child. Returns through
 * uat_to_scheduler(). */
FUNCTION uat_start, hidden
	SAVE_REGISTERS
	mov	%rsp, uat_worker+UAT_WORKER_SCHEDULER_SP(%rip)
	mov	%rdi, %rbx
	mov	%rdx, %rsp
	mov	%rdx, %rdi
	mov	%rcx, %rdx
	jmp	.Lcall
END uat_start

	.section .note.GNU-stack, "", @progbits
