/* SPDX-License-Identifier: MIT */
/*
 * malloc() returns different addresses on each worker of a job. All workers run one program without address-space
 * randomisation, so otherwise the same malloc() call would return the same address everywhere, and a pointer that a
 * task keeps across a spawn would silently point to another worker's data. With disjoint heaps such a pointer points to
 * no memory, and the message about the fault says why.
 */
#ifndef UAT_TORTURE_HEAP_H
#define UAT_TORTURE_HEAP_H

#include <stdint.h>

/* Move future allocations of malloc() to the window of rank. Best effort: reports no error. */
void uat_torture_heap_move(int rank, int size);

/* Keep malloc() from returning the blocks that were allocated before the move, and have been freed since. Call it once
 * uat_init() has freed what it needed only for itself. */
void uat_torture_heap_settle(void);

/* The rank whose malloc() returns this address, or -1. */
int uat_torture_heap_owner(uintptr_t address);

#endif
