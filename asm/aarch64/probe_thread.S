/* SPDX-License-Identifier: MIT */
/* The thread of perf/probe_thread.h. */
#include "asm/aarch64/entry.h"

/* void uat_probe_thread_run(void)
 * clobbers: all; never returns. x19 holds the base of the thread's stack; the counter is just below it. All state of
 * the thread is in callee-saved registers and on the stack, so the thread may continue in another process.
 * The thread suspends itself by uat_join_suspend(), although it has no child. */
FUNCTION uat_probe_thread_run, hidden
	.cfi_undefined x30
1:	isb
	mrs	x9, cntvct_el0
	adrp	x10, uat_probe_thread_resumed
	str	x9, [x10, #:lo12:uat_probe_thread_resumed]
	ldr	x9, [x19, #-8]
	add	x9, x9, #1
	str	x9, [x19, #-8]
	mov	x0, #0
	bl	uat_join_suspend
	b	1b
END uat_probe_thread_run

	.section .note.GNU-stack, "", %progbits
