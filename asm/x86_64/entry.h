/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Macros of the assembly files. */
#ifndef UAT_ENTRY_H
#define UAT_ENTRY_H

#include "asm/offsets.h"

/* Begin a function. PUBLIC: it may be called from outside the library. HIDDEN: only the library calls it. */
.macro FUNCTION name, visibility
	.text
	.globl \name
	.ifc \visibility, hidden
	.hidden \name
	.endif
	.type \name, @function
	.p2align 5
\name:
	.cfi_startproc
.endm

.macro END name
	.cfi_endproc
	.size \name, . - \name
.endm

/* Save the callee-saved registers. Afterwards the stack pointer is a continuation. */
.macro SAVE_REGISTERS
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	push	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	push	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	push	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	push	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
.endm

/* Restore the registers. After each pop, the CFI says that this register has the caller's value again. */
.macro RESTORE_REGISTERS
	pop	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_same_value r15
	pop	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_same_value r14
	pop	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_same_value r13
	pop	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_same_value r12
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_same_value rbx
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_same_value rbp
.endm

#endif
