/* SPDX-License-Identifier: MIT */
/* For tests: see asm/registers.h. */
#include "asm/aarch64/entry.h"

/* Save the callee-saved registers. Fill them, except x29 and x30, with consecutive numbers from `first` on. */
.macro FILL first
	SAVE_REGISTERS
	mov	x9, \first
	.irp	register, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28
	mov	\register, x9
	add	x9, x9, #1
	.endr
	.irp	register, d8, d9, d10, d11, d12, d13, d14, d15
	fmov	\register, x9
	add	x9, x9, #1
	.endr
.endm

FUNCTION uat_registers_spawn, hidden
	FILL	#11
	mov	x29, #29
	bl	uat_spawn
	mov	x0, #0
	cmp	x29, #29
	cinc	x0, x0, ne
	mov	x9, #11
	.irp	register, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28
	cmp	\register, x9
	cinc	x0, x0, ne
	add	x9, x9, #1
	.endr
	.irp	register, d8, d9, d10, d11, d12, d13, d14, d15
	fmov	x10, \register
	cmp	x10, x9
	cinc	x0, x0, ne
	add	x9, x9, #1
	.endr
	RESTORE_REGISTERS
	ret
END uat_registers_spawn

FUNCTION uat_registers_task, hidden
	FILL	#-100
	ldr	x9, [x0]
	add	x9, x9, #1
	str	x9, [x1]
	RESTORE_REGISTERS
	ret
END uat_registers_task

	.section .note.GNU-stack, "", %progbits
