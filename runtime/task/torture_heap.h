/* SPDX-License-Identifier: MIT */
/*
 * Torture: malloc() of each worker gives addresses of its own. All workers are one program without address-space
 * randomisation, so as a rule the same malloc() gives the same address everywhere, and a pointer that a task keeps
 * across a spawn silently finds another worker's data. With heaps apart it finds nothing, and the fault says why.
 */
#ifndef UAT_TORTURE_HEAP_H
#define UAT_TORTURE_HEAP_H

#include <stdint.h>

/* Move what malloc() will give to the window of rank. Does what it can: there is no error. */
void uat_torture_heap_move(int rank, int size);

/* The rank whose malloc() gives this address, or -1. */
int uat_torture_heap_owner(uintptr_t address);

#endif
