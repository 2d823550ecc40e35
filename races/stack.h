/* SPDX-License-Identifier: MIT */
/* Accesses to stacks. A task may use its own frames only, and no buffer of a result before the join of the child. The
 * rule needs no shadow, but two comparisons. */
#ifndef UAT_RACES_STACK_H
#define UAT_RACES_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program accesses memory at a: n bytes of a stack, or anything else. */
void uat_races_memory(uintptr_t a, size_t n, unsigned access, uintptr_t site);

/* A run begins; main()'s frames are above sp. */
void uat_races_stack_of_main(uintptr_t sp);

#endif
