/* SPDX-License-Identifier: MIT */
/*
 * The page faults that the iso-address scheme would have. In that scheme no two stacks of the job have the same
 * address. A worker has a page fault when it first touches a page: when it first steals a stack from that place. This
 * model identifies a place by the victim and the upper end of the stack. For a task that is stolen once, this is exact.
 * A task that is stolen again counts as a task of its last victim.
 */
#ifndef UAT_SIM_FAULT_H
#define UAT_SIM_FAULT_H

#include <stdint.h>

/* Count a stack [sp, base) that this worker has stolen from the victim. Returns the number of pages that this worker
 * touches for the first time. */
uint64_t uat_sim_fault_pages(int victim, uintptr_t sp, uintptr_t base);

#endif
