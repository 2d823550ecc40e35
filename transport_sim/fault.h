/* SPDX-License-Identifier: MIT */
/*
 * The page faults that iso-address would have. There each task's stack has an address of its own in the whole job,
 * and a worker has a page fault when it first touches a page, so at the first steal of a stack from that place. The
 * place of a task is the worker that it was stolen from and the upper end of its stack there. That is exact for a
 * task that is stolen once; a task that is stolen again counts as one of the worker between.
 */
#ifndef UAT_SIM_FAULT_H
#define UAT_SIM_FAULT_H

#include <stdint.h>

/* This worker has stolen [sp, base) from the victim. Returns the number of pages that it touches for the first time. */
uint64_t uat_sim_fault_pages(int victim, uintptr_t sp, uintptr_t base);

#endif
