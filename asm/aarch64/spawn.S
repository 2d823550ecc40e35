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
 * copies the argument first.
 *
 * The stack, downwards (all sizes in bytes):
 *	spawner's frames
 *	d8-d15 x19-x28 x30 x29	160
 *  sp: ---- the continuation; entry of the deque; base of the child's stack segment; in x19 while the child runs
 *	struct uat_frame	32
 *	result			result_size rounded up to 8
 *	argument		if copied: arg_size rounded up to 8
 *	padding			so that the sum is a multiple of 16
 *	frames of the child.
 *
 * The stores need no fence: thieves look at none of these words before uat_deque_refill() publishes the entry by a
 * release store. The load of *look (ring->claims) is relaxed, because its value only decides whether to take the slow
 * path. The load pairs with the thieves' atomics in uat_thief_claim().
 */
#include "asm/aarch64/entry.h"

/* Copy n bytes upwards, in whole words as far as possible. Clobbers x15 and the operands. */
.macro COPY from, to, n
	subs	\n, \n, #8
	b.lo	2f
1:	ldr	x15, [\from], #8
	str	x15, [\to], #8
	subs	\n, \n, #8
	b.hs	1b
2:	adds	\n, \n, #8
	b.eq	4f
3:	ldrb	w15, [\from], #1
	strb	w15, [\to], #1
	subs	\n, \n, #1
	b.ne	3b
4:
.endm

/* Save the continuation of a spawn, and put its address into x19. Make room below it for frame, argument and result.
 * Fill the frame. */
.macro BEGIN_SPAWN
	SAVE_REGISTERS
	mov	x19, sp
	.cfi_def_cfa x19, UAT_SAVED_SIZE
	sub	sp, sp, #UAT_FRAME_SIZE + 16
	stp	xzr, x4, [x0, #UAT_TASK_RECORD]		/* record, and result after it */
	str	x0, [x19, #UAT_FRAME_TASK - UAT_FRAME_SIZE]
	str	x5, [x19, #UAT_FRAME_RESULT_SIZE - UAT_FRAME_SIZE]	/* result_size, and 0 to pending above it */
.endm

/* void uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size)
 *                x0             x1          x2               x3               x4            x5
 * clobbers: as a call. Returns when the child has ended, or when a thief resumes the stolen continuation, perhaps in
 * another process. */
FUNCTION uat_spawn, public
	BEGIN_SPAWN
	cmp	x3, #8
	ccmp	x5, #8, #0, eq
	b.ne	.Lsizes				/* argument and result are not 8 bytes each */
	ldr	x9, [x2]
	mov	x0, sp
	add	x2, sp, #8			/* result */
	str	x9, [sp]
.Lpush:
	WORKER	x7
	ldp	x8, x9, [x7, #UAT_WORKER_TOP]	/* top and look, which are adjacent */
	ldr	x10, [x7, #UAT_WORKER_TASKS]
	ldr	x11, [x7, #UAT_WORKER_PUSH_CLAIMS]
	str	x19, [x8], #8			/* faults on the guard page if the array of entries is full */
	add	x10, x10, #1
	str	x8, [x7, #UAT_WORKER_TOP]
	str	x10, [x7, #UAT_WORKER_TASKS]
	ldr	x12, [x9]
	cmp	x11, x12
	b.ne	.Lpublish
.Lcall:
	mov	x9, x1
	mov	x1, x2
	.cfi_remember_state
	.cfi_undefined x30			/* backtraces end here: above is the spawner's frame, or no frame */
	blr	x9
	WORKER	x7
	ldp	x8, x9, [x7, #UAT_WORKER_TOP]
	ldr	x10, [x7, #UAT_WORKER_POP_CLAIMS]
	ldr	x11, [x8, #-8]
	ldr	x12, [x9]
	cmp	x11, x19			/* is the spawner's continuation still here and unpublished? */
	ccmp	x12, x10, #0, eq
	b.ne	.Lpop
	sub	x8, x8, #8
	str	x8, [x7, #UAT_WORKER_TOP]
.Ldeliver:
	.cfi_restore_state
	ldr	x8, [x19, #UAT_FRAME_TASK - UAT_FRAME_SIZE]
	ldr	w9, [x19, #UAT_FRAME_RESULT_SIZE - UAT_FRAME_SIZE]
	ldr	x10, [x8, #UAT_TASK_RESULT]
	cmp	w9, #8
	b.ne	.Ldeliver_size
	ldr	x11, [x19, #-(UAT_FRAME_SIZE + 8)]
	str	x11, [x10]
.Lreturn:
	mov	sp, x19
	.cfi_def_cfa sp, UAT_SAVED_SIZE
	ldp	x29, x30, [sp]
	ldr	x19, [sp, #16]			/* the child has preserved the other registers, as every call does */
	add	sp, sp, #UAT_SAVED_SIZE
	.cfi_def_cfa sp, 0
	.cfi_same_value x19
	.cfi_same_value x29
	.cfi_same_value x30
	ret
	.cfi_def_cfa x19, UAT_SAVED_SIZE
	.cfi_offset x19, -144
	.cfi_offset x29, -160
	.cfi_offset x30, -152

.Lpublish:					/* call uat_task_pushed(), and keep the child's arguments */
	cmp	x0, x19
	b.lo	5f				/* the argument is below the continuation: it was copied */
	add	x9, x3, #15
	and	x9, x9, #-16
	sub	x10, sp, x9
	mov	sp, x10
	COPY	x0, x10, x3
	mov	x0, sp
5:	stp	x0, x1, [sp, #-32]!
	str	x2, [sp, #16]
	mov	x0, x19
	add	x1, sp, #32
	bl	uat_task_pushed
	sub	x9, x0, x19			/* with iso-address, [sp + 32, x19) was copied to the child's berth: move there */
	ldr	x2, [sp, #16]
	ldp	x0, x1, [sp], #32
	add	x0, x0, x9
	add	x2, x2, x9
	add	x19, x19, x9
	add	sp, sp, x9
	b	.Lcall

.Lpop:						/* uat_task_returned() returns only if the spawner's continuation is here */
	mov	x0, x19
	.cfi_remember_state
	.cfi_undefined x30
	bl	uat_task_returned
	mov	x19, x0				/* sp; with iso-address, x19 was the child's base */
	.cfi_restore_state
	b	.Ldeliver

.Lsizes:
	add	x11, x5, #7
	and	x11, x11, #-8			/* result, rounded up */
	add	x12, x3, #7
	and	x12, x12, #-8
	add	x12, x12, x11
	add	x12, x12, #15
	and	x12, x12, #-16
	cmp	x12, #1024
	b.hi	.Lcheck
.Lcopy:
	sub	x13, x19, #UAT_FRAME_SIZE
	sub	x14, x13, x12
	mov	sp, x14
	sub	x13, x13, x11			/* result */
	COPY	x2, x14, x3
	mov	x0, sp
	mov	x2, x13
	b	.Lpush

.Lcheck:					/* uat_task_check(sp, arg_size, result_size) ends the job if the sizes are too large */
	mov	x20, x1
	mov	x21, x2
	mov	x22, x3
	mov	x23, x11
	mov	x24, x12
	mov	x0, x19
	mov	x1, x3
	mov	x2, x5
	bl	uat_task_check
	mov	x1, x20
	mov	x2, x21
	mov	x3, x22
	mov	x11, x23
	mov	x12, x24
	ldp	x21, x22, [x19, #32]		/* restore the callee-saved registers that were used */
	ldr	x20, [x19, #24]
	ldp	x23, x24, [x19, #48]
	b	.Lcopy

.Ldeliver_size:					/* a result whose size is not 8 */
	cbz	w9, .Lreturn
	add	w11, w9, #7
	and	w11, w11, #-8
	sub	x12, x19, #UAT_FRAME_SIZE
	sub	x12, x12, x11			/* result */
	COPY	x12, x10, x9
	b	.Lreturn
END uat_spawn

/* void uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size)
 * uat_spawn() for a function that UAT_TASK has generated around a task's body. Sizes need no check here, because
 * argument and result have at most UAT_SPAWN_TYPED_MAX bytes. */
FUNCTION uat_spawn_typed, public
	BEGIN_SPAWN
	mov	x0, x2
	add	x2, sp, #8
	cmp	x5, #8
	b.eq	.Lpush
	add	x9, x5, #7			/* the result is not 8 bytes */
	and	x9, x9, #-8
	sub	x2, x19, #UAT_FRAME_SIZE
	sub	x2, x2, x9			/* result */
	and	sp, x2, #-16
	b	.Lpush
END uat_spawn_typed

/* int uat_start(uintptr_t sp, uat_fn *fn, void *arg, void *result)
 *               x0            x1          x2         x3
 * clobbers: as a call. Starts a task by a jump to the place in uat_spawn() that calls the child. Returns through
 * uat_to_scheduler(). */
FUNCTION uat_start, hidden
	SAVE_REGISTERS
	mov	x9, sp
	WORKER	x10
	str	x9, [x10, #UAT_WORKER_SCHEDULER_SP]
	mov	x19, x0
	mov	sp, x2
	mov	x0, x2
	mov	x2, x3
	b	.Lcall
END uat_start

	.section .note.GNU-stack, "", %progbits
