/* SPDX-License-Identifier: MIT */
/*
 * The simulated store buffer of each worker's CPU. Stores reach memory late, but in order, as on x86-64 (TSO). With
 * UAT_SIM_SEED=N,stores=weak they reach memory in any order that aarch64 allows. In that case two stores stay in order
 * only if both are to one word, or if the later one is a release. A fence, or the doorbell of a post, waits until all
 * stores have reached memory. Only stores by uat_store_relaxed() and uat_store_release() are delayed. Until its next
 * post, a CPU must not load a word that it has stored by these functions. Without an adversary every store reaches
 * memory at once.
 */
#ifndef UAT_SIM_STORES_H
#define UAT_SIM_STORES_H

#include <stdbool.h>
#include <stdint.h>

/* Add a store to this worker's buffer. release: no earlier store of this worker may reach memory after this one. */
void uat_sim_stores_add(uint64_t *word, uint64_t value, bool release);

/* Move all buffered stores of this worker to memory. */
void uat_sim_stores_drain(void);

/* Execute a queue item: move the stores of worker `rank` that are due at `time` to memory. */
void uat_sim_stores_reach(int rank, uint64_t time);

#endif
