/* SPDX-License-Identifier: MIT */
/*
 * The simulated store buffer of each worker's CPU, as on x86-64 (TSO). Stores reach memory in order, but late. A fence,
 * or the doorbell of a post, waits until all stores have reached memory. Only stores by uat_store_relaxed() and
 * uat_store_release() are held back, and the CPU that stored such a word never loads it. Without an adversary every
 * store reaches memory at once.
 */
#ifndef UAT_SIM_STORES_H
#define UAT_SIM_STORES_H

#include <stdint.h>

void uat_sim_stores_add(uint64_t *word, uint64_t value);

/* Move all buffered stores of this worker to memory. */
void uat_sim_stores_drain(void);

/* Carry out a queue item: move rank's stores that are due at `time` to memory. */
void uat_sim_stores_reach(int rank, uint64_t time);

#endif
