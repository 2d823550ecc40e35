/* SPDX-License-Identifier: MIT */
/* Iso-address in the words of the deque. The region is divided into berths of equal size, a power of two. Each task's
 * stack lies in a berth of its own. */
#ifndef UAT_PAPERS_PLACING_H
#define UAT_PAPERS_PLACING_H

#include "asm/offsets.h"
#include "deque/ring.h"

enum { UAT_BERTH_ROOM = UAT_STACK_TOP_ROOM /* bytes above the base; they hold a canary, too */ };

/* The size of a berth, minus 1. */
extern uintptr_t uat_berth_mask;

/* With this placing, a slot's place holds sp, which determines the base, and the generation of the slot's state. So a
 * thief that READs the two words of a slot from different publications detects this (T5). */
extern const struct uat_placing uat_berth_placing;

/* The base of the stack whose stack pointer is sp. */
static inline uintptr_t uat_berth_base(uintptr_t sp)
{
    return (sp | uat_berth_mask) + 1 - UAT_BERTH_ROOM;
}

#endif
