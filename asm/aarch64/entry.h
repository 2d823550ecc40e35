/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Macros of the assembly files. */
#ifndef UAT_ENTRY_H
#define UAT_ENTRY_H

#include "asm/offsets.h"

/* Begin a function. PUBLIC: it may be called from outside the library. HIDDEN: only the library calls it. The function
 * starts with a landing pad (BTI c). On older processors a landing pad is a NOP. */
.macro FUNCTION name, visibility
	.text
	.globl \name
	.ifc \visibility, hidden
	.hidden \name
	.endif
	.type \name, %function
	.p2align 5
\name:
	.cfi_startproc
	hint	#34
.endm

.macro END name
	.cfi_endproc
	.size \name, . - \name
.endm

/* Load the address of uat_worker. */
.macro WORKER register
	adrp	\register, uat_worker
	add	\register, \register, :lo12:uat_worker
.endm

/* For each pair of callee-saved registers: apply `operation` to the two registers and the pair's offset in a
 * continuation. */
.macro EACH_PAIR operation
	\operation	x29, x30, 0
	\operation	x19, x20, 16
	\operation	x21, x22, 32
	\operation	x23, x24, 48
	\operation	x25, x26, 64
	\operation	x27, x28, 80
	\operation	d8, d9, 96
	\operation	d10, d11, 112
	\operation	d12, d13, 128
	\operation	d14, d15, 144
.endm

/* CFI for a continuation: the places of its registers, as offsets below its CFA. */
.macro PAIR_CFI first, second, place
	.cfi_offset \first, \place - UAT_SAVED_SIZE
	.cfi_offset \second, \place + 8 - UAT_SAVED_SIZE
.endm
.macro SAVED_CFI
	EACH_PAIR PAIR_CFI
.endm

/* Save the callee-saved registers. Afterwards the stack pointer is a continuation. The stack pointer moves first,
 * because aarch64 has no red zone. */
.macro SAVE_PAIR first, second, place
	stp	\first, \second, [sp, #\place]
	.cfi_rel_offset \first, \place
	.cfi_rel_offset \second, \place + 8
.endm
.macro SAVE_REGISTERS
	sub	sp, sp, #UAT_SAVED_SIZE
	.cfi_adjust_cfa_offset UAT_SAVED_SIZE
	EACH_PAIR SAVE_PAIR
.endm

/* Restore the registers. The saved words remain on the stack until the `add`, so the CFI of all registers holds until
 * then. */
.macro RESTORE_PAIR first, second, place
	ldp	\first, \second, [sp, #\place]
.endm
.macro RESTORED_CFI first, second, place
	.cfi_same_value \first
	.cfi_same_value \second
.endm
.macro RESTORE_REGISTERS
	EACH_PAIR RESTORE_PAIR
	add	sp, sp, #UAT_SAVED_SIZE
	.cfi_adjust_cfa_offset -UAT_SAVED_SIZE
	EACH_PAIR RESTORED_CFI
.endm

/* Mark this object for BTI: all targets of its indirect branches are landing pads. The linker marks a program only if
 * each of its objects is marked. The mark for guarded control stacks (GCS) is missing on purpose: GCS does not work
 * with stacks that move. */
	.pushsection .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0
	.popsection

#endif
