/* SPDX-License-Identifier: MIT */
/* See switch.h. */
#include "asm/aarch64/entry.h"

/* Switch to the stack where uat_resume() or uat_start() saved its caller's registers. */
.macro ENTER_SCHEDULER_STACK
	WORKER	x9
	ldr	x9, [x9, #UAT_WORKER_SCHEDULER_SP]
	mov	sp, x9
	.cfi_def_cfa sp, UAT_SAVED_SIZE
	SAVED_CFI
.endm

/* Continue at the place where the registers on this stack were saved. The return predictor remembers the calls of the
 * previous stack, so it mispredicts this `ret`. But any other indirect branch would need a landing pad after each
 * call. */
.macro CONTINUE
	RESTORE_REGISTERS
	ret
.endm

/* int uat_resume(uintptr_t sp)
 * clobbers: as a call */
FUNCTION uat_resume, hidden
	SAVE_REGISTERS
	mov	x9, sp
	WORKER	x10
	str	x9, [x10, #UAT_WORKER_SCHEDULER_SP]
	mov	sp, x0			/* the layout is the same, so the CFI now describes the resumed stack */
	mov	w0, #0			/* the result of uat_suspend() */
	CONTINUE
END uat_resume

/* void uat_on_stack(uintptr_t stack, void (*fn)(uintptr_t sp))
 *                   x0               x1
 * clobbers: as a call */
FUNCTION uat_on_stack, hidden
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	.cfi_def_cfa_register x29
	mov	sp, x0
	mov	x0, x29
	blr	x1
	mov	sp, x29
	.cfi_def_cfa_register sp
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_same_value x29
	.cfi_same_value x30
	ret
END uat_on_stack

/* void uat_leave(void)
 * clobbers: does not return */
FUNCTION uat_leave, hidden
	.cfi_undefined x30		/* an ended task has no caller */
	mov	w0, #UAT_EVENT_ENDED
	b	uat_to_scheduler
END uat_leave

/* void uat_join_suspend(uat_task_t *t)
 * clobbers: as a call. Returns when the child has ended, perhaps in another process. */
FUNCTION uat_join_suspend, hidden
	SAVE_REGISTERS
	mov	x9, sp
	WORKER	x10
	str	x9, [x10, #UAT_WORKER_SUSPENDED_SP]
	str	x0, [x10, #UAT_WORKER_SUSPENDED_TASK]
	mov	w0, #UAT_EVENT_WAITING
	b	uat_to_scheduler
END uat_join_suspend

/* int uat_suspend(struct uat_park *wait)
 * clobbers: as a call. Returns 0 when the task was resumed, perhaps in another process. */
FUNCTION uat_suspend, hidden
	SAVE_REGISTERS
	mov	x9, sp
	WORKER	x10
	str	x9, [x10, #UAT_WORKER_SUSPENDED_SP]
	str	x0, [x10, #UAT_WORKER_SUSPENDED_TASK]
	b	uat_to_next
END uat_suspend

/* int uat_suspend_word(struct uat_park *wait, uint64_t value, void *to)
 *                      x0                     x1              x2
 * clobbers: as a call. uat_suspend() with a reply of one word. The reply is on this function's part of the stack, not
 * in the caller's frame. So the caller can call this function as a tail call. */
FUNCTION uat_suspend_word, hidden
	sub	sp, sp, #32
	.cfi_adjust_cfa_offset 32
	stp	xzr, x1, [sp]			/* the reply: status and value */
	stp	x2, x30, [sp, #16]
	.cfi_rel_offset x30, 24
	mov	x9, sp
	str	x9, [x0, #UAT_PARK_REPLY]
	adr	x30, .Lreplied			/* set the return address without a call: no `ret` will match a call */
	b	uat_suspend
	nop					/* for unwinders, which look up the instruction before a return address */
.Lreplied:					/* uat_resume() or uat_to_next() continues here */
	ldp	x9, x10, [sp]
	ldp	x11, x30, [sp, #16]
	.cfi_same_value x30
	add	sp, sp, #32
	.cfi_adjust_cfa_offset -32
	neg	w0, w9
	cbnz	w0, 1f
	cbz	x11, 1f
	str	x10, [x11]
1:	ret
END uat_suspend_word

/* After a task has been suspended: continue with the task that uat_schedule_next() returns. If there is none, return to
 * the caller of uat_resume() or uat_start().
 * clobbers: all; does not change the task's stack */
FUNCTION uat_to_next, hidden
	ENTER_SCHEDULER_STACK
	bl	uat_schedule_next
	cbz	x0, 1f
	.cfi_remember_state
	mov	sp, x0				/* as in uat_resume() */
	mov	w0, #0
	CONTINUE
	.cfi_restore_state
1:	mov	w0, #UAT_EVENT_PARKED
	b	uat_to_scheduler
END uat_to_next

/* Return from uat_resume() or uat_start() with the event in w0.
 * clobbers: all; does not change the current stack */
FUNCTION uat_to_scheduler, hidden
	ENTER_SCHEDULER_STACK
	CONTINUE
END uat_to_scheduler

	.section .note.GNU-stack, "", %progbits
