/* SPDX-License-Identifier: MIT */
/*
 * The shadow: which strands have accessed a byte. Two accesses race if they share a byte, at least one of them writes,
 * not both are atomic, the tasks hold no common mutex, and nothing orders them (include/uat/global.h). A second rule
 * holds for memory that each process has for itself, such as statics and the heap: a value must not pass a spawn,
 * a join or a wait, even in one task, because what follows may run on another worker. This rule needs no parallelism.
 */
#ifndef UAT_RACES_SHADOW_H
#define UAT_RACES_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "races/others.h"

void uat_races_shadow_open(void);

/* The running strand accesses n bytes at a. site: the return address of the access. */
void uat_races_access(uintptr_t a, size_t n, unsigned access, uintptr_t site);

/* Nobody has accessed these n bytes yet. */
void uat_races_clear(uintptr_t a, size_t n);

/* malloc() has given these n bytes to the running strand of a run, at `site`. */
void uat_races_allocated(uintptr_t a, size_t n, uintptr_t site);

/* Has any strand accessed the page of this address? */
bool uat_races_is_shadowed(uintptr_t a);

#endif
