/* SPDX-License-Identifier: MIT */
/* The thread of perf/probe_thread.h. */
#include "asm/x86_64/entry.h"

/* void uat_probe_thread_run(void)
 * clobbers: all; never returns. rbx holds the base of the thread's stack; the counter is just below it. All state of
 * the thread is in callee-saved registers and on the stack, so the thread may continue in another process.
 * The thread suspends itself by uat_join_suspend(), although it has no child. */
FUNCTION uat_probe_thread_run, hidden
	.cfi_undefined rip
1:	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, uat_probe_thread_resumed(%rip)
	incq	-8(%rbx)
	xor	%edi, %edi
	call	uat_join_suspend@PLT
	jmp	1b
END uat_probe_thread_run

	.section .note.GNU-stack, "", @progbits
