/* SPDX-License-Identifier: MIT */
/* See switch.h. */
#include "asm/x86_64/entry.h"

/* Switch to the stack where uat_resume() or uat_start() saved its caller's registers. */
.macro ENTER_SCHEDULER_STACK
	mov	uat_worker+UAT_WORKER_SCHEDULER_SP(%rip), %rsp
	.cfi_def_cfa rsp, UAT_SAVED_SIZE + 8
	.cfi_offset rbp, -16
	.cfi_offset rbx, -24
	.cfi_offset r12, -32
	.cfi_offset r13, -40
	.cfi_offset r14, -48
	.cfi_offset r15, -56
.endm

/* Continue at the place where the registers on this stack were saved. This is not a `ret`: the return predictor
 * remembers the calls of the previous stack, so a `ret` would be mispredicted. */
.macro CONTINUE
	RESTORE_REGISTERS
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmp	*%rcx
.endm

/* int uat_resume(uintptr_t sp)
 * clobbers: as a call */
FUNCTION uat_resume, hidden
	SAVE_REGISTERS
	mov	%rsp, uat_worker+UAT_WORKER_SCHEDULER_SP(%rip)
	mov	%rdi, %rsp		/* the layout is the same, so the CFI now describes the resumed stack */
	xor	%eax, %eax		/* the result of uat_suspend() */
	CONTINUE
END uat_resume

/* void uat_on_stack(uintptr_t stack, void (*fn)(uintptr_t sp))
 *                   rdi              rsi
 * clobbers: as a call */
FUNCTION uat_on_stack, hidden
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	mov	%rdi, %rsp
	mov	%rbp, %rdi
	call	*%rsi
	mov	%rbp, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_same_value rbp
	ret
END uat_on_stack

/* void uat_leave(void)
 * clobbers: does not return */
FUNCTION uat_leave, hidden
	.cfi_undefined rip		/* an ended task has no caller */
	xor	%eax, %eax		/* UAT_EVENT_ENDED */
	jmp	uat_to_scheduler
END uat_leave

/* void uat_join_suspend(uat_task_t *t)
 * clobbers: as a call. Returns when the child has ended, perhaps in another process. */
FUNCTION uat_join_suspend, hidden
	SAVE_REGISTERS
	mov	%rsp, uat_worker+UAT_WORKER_SUSPENDED_SP(%rip)
	mov	%rdi, uat_worker+UAT_WORKER_SUSPENDED_TASK(%rip)
	mov	$UAT_EVENT_WAITING, %eax
	jmp	uat_to_scheduler
END uat_join_suspend

/* int uat_suspend(struct uat_park *wait)
 * clobbers: as a call. Returns 0 when the task was resumed, perhaps in another process. */
FUNCTION uat_suspend, hidden
	SAVE_REGISTERS
	mov	%rsp, uat_worker+UAT_WORKER_SUSPENDED_SP(%rip)
	mov	%rdi, uat_worker+UAT_WORKER_SUSPENDED_TASK(%rip)
	jmp	uat_to_next
END uat_suspend

/* int uat_suspend_word(struct uat_park *wait, uint64_t value, void *to)
 *                      rdi                    rsi             rdx
 * clobbers: as a call. uat_suspend() with a reply of one word. The reply is on this function's part of the stack, below
 * the return address. So the caller can call this function as a tail call. */
FUNCTION uat_suspend_word, hidden
	push	%rdx
	.cfi_adjust_cfa_offset 8
	push	%rsi
	.cfi_adjust_cfa_offset 8
	push	$0				/* the status; the reply is status and value */
	.cfi_adjust_cfa_offset 8
	mov	%rsp, UAT_PARK_REPLY(%rdi)
	lea	.Lreplied(%rip), %rax		/* push the return address without a call: no `ret` will match a call */
	push	%rax
	.cfi_adjust_cfa_offset 8
	jmp	uat_suspend
	.cfi_adjust_cfa_offset -8
	nop					/* for unwinders, which look up the byte before a return address */
.Lreplied:					/* uat_resume() or uat_to_next() continues here */
	pop	%rax
	.cfi_adjust_cfa_offset -8
	pop	%rdx
	.cfi_adjust_cfa_offset -8
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	neg	%eax
	jne	1f
	test	%rcx, %rcx
	je	1f
	mov	%rdx, (%rcx)
1:	pop	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmp	*%rcx				/* jmp, not ret: see asm/switch.h */
END uat_suspend_word

/* After a task has been suspended: continue with the task that uat_schedule_next() returns. If there is none, return to
 * the caller of uat_resume() or uat_start().
 * clobbers: all; does not change the task's stack */
FUNCTION uat_to_next, hidden
	ENTER_SCHEDULER_STACK
	sub	$8, %rsp			/* aligned */
	.cfi_adjust_cfa_offset 8
	call	uat_schedule_next
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	test	%rax, %rax
	je	1f
	.cfi_remember_state
	mov	%rax, %rsp			/* as in uat_resume() */
	xor	%eax, %eax
	CONTINUE
	.cfi_restore_state
1:	mov	$UAT_EVENT_PARKED, %eax
	jmp	uat_to_scheduler
END uat_to_next

/* Return from uat_resume() or uat_start() with the event in eax.
 * clobbers: all; does not change the current stack */
FUNCTION uat_to_scheduler, hidden
	ENTER_SCHEDULER_STACK
	CONTINUE
END uat_to_scheduler

	.section .note.GNU-stack, "", @progbits
