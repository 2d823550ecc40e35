/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Macros of the assembly files. */
#ifndef UAT_ENTRY_H
#define UAT_ENTRY_H

#include "asm/offsets.h"

/* A function that may be called from outside the library (PUBLIC) or only from inside it (HIDDEN). It begins with a
 * landing pad (BTI c), which older processors take for a NOP. */
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

/* The address of a word of uat_worker's first 4 KiB. */
.macro WORKER register
	adrp	\register, uat_worker
	add	\register, \register, :lo12:uat_worker
.endm

/* Say in CFI where the registers of a continuation lie, by their distance below its CFA. */
.macro SAVED_CFI
	.cfi_offset x29, -160
	.cfi_offset x30, -152
	.cfi_offset x19, -144
	.cfi_offset x20, -136
	.cfi_offset x21, -128
	.cfi_offset x22, -120
	.cfi_offset x23, -112
	.cfi_offset x24, -104
	.cfi_offset x25, -96
	.cfi_offset x26, -88
	.cfi_offset x27, -80
	.cfi_offset x28, -72
	.cfi_offset d8, -64
	.cfi_offset d9, -56
	.cfi_offset d10, -48
	.cfi_offset d11, -40
	.cfi_offset d12, -32
	.cfi_offset d13, -24
	.cfi_offset d14, -16
	.cfi_offset d15, -8
.endm

/* Save the registers that a call preserves; afterwards the stack pointer is a continuation. It moves first, because
 * there is no red zone. */
.macro SAVE_REGISTERS
	sub	sp, sp, #UAT_SAVED_SIZE
	.cfi_adjust_cfa_offset UAT_SAVED_SIZE
	stp	x29, x30, [sp]
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	stp	x19, x20, [sp, #16]
	.cfi_rel_offset x19, 16
	.cfi_rel_offset x20, 24
	stp	x21, x22, [sp, #32]
	.cfi_rel_offset x21, 32
	.cfi_rel_offset x22, 40
	stp	x23, x24, [sp, #48]
	.cfi_rel_offset x23, 48
	.cfi_rel_offset x24, 56
	stp	x25, x26, [sp, #64]
	.cfi_rel_offset x25, 64
	.cfi_rel_offset x26, 72
	stp	x27, x28, [sp, #80]
	.cfi_rel_offset x27, 80
	.cfi_rel_offset x28, 88
	stp	d8, d9, [sp, #96]
	.cfi_rel_offset d8, 96
	.cfi_rel_offset d9, 104
	stp	d10, d11, [sp, #112]
	.cfi_rel_offset d10, 112
	.cfi_rel_offset d11, 120
	stp	d12, d13, [sp, #128]
	.cfi_rel_offset d12, 128
	.cfi_rel_offset d13, 136
	stp	d14, d15, [sp, #144]
	.cfi_rel_offset d14, 144
	.cfi_rel_offset d15, 152
.endm

/* Restore the registers. The words stay on the stack until the last instruction, so the CFI of all registers holds
 * until then. */
.macro RESTORE_REGISTERS
	ldp	d14, d15, [sp, #144]
	ldp	d12, d13, [sp, #128]
	ldp	d10, d11, [sp, #112]
	ldp	d8, d9, [sp, #96]
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp]
	add	sp, sp, #UAT_SAVED_SIZE
	.cfi_adjust_cfa_offset -UAT_SAVED_SIZE
	.irp	register, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30, d8, d9, d10, d11, d12, d13, d14, d15
	.cfi_same_value \register
	.endr
.endm

/* Mark this object: all indirect branches land on BTI. The linker marks a program only if each of its objects is
 * marked. The mark for guarded control stacks is missing on purpose, because they do not work with stacks that move. */
	.pushsection .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0
	.popsection

#endif
