/* SPDX-License-Identifier: MIT */
/*
 * The simulated store buffer of each worker's CPU, as x86-64 has it (TSO): stores reach memory in their order, but
 * late; a fence, or the doorbell of a post, waits until all are there. Only the stores that go through
 * uat_store_relaxed() and uat_store_release() are held back, and nobody loads those words on the CPU that stored them.
 * Without an adversary every store is in memory at once.
 */
#ifndef UAT_SIM_STORES_H
#define UAT_SIM_STORES_H

#include <stdint.h>

void uat_sim_stores_add(uint64_t *word, uint64_t value);

/* All stores of this worker reach memory now. */
void uat_sim_stores_drain(void);

/* An item of the queue: rank's stores that are due at `time` reach memory. */
void uat_sim_stores_reach(int rank, uint64_t time);

#endif
