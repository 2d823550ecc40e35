/* SPDX-License-Identifier: MIT */
/* Access to the segments of all workers, for the process with the token. The access is through mappings or, if there
 * are many workers, through the file. */
#ifndef UAT_SIM_MEMORY_H
#define UAT_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A remote address is an address in the owning process's address space. If the memory object cannot be accessed, these
 * functions report this and end the process. */
void uat_sim_memory_read(int rank, const void *from, void *to, size_t size);
void uat_sim_memory_write(int rank, void *to, const void *from, size_t size);

/* Copy from one worker's segment to another worker's. */
void uat_sim_memory_copy(int to_rank, void *to, int from_rank, const void *from, size_t size);

/*
 * The simulated store buffer of each worker's CPU. Stores reach memory late, but in order, as on x86-64 (TSO). With
 * UAT_SIM_SEED=N,stores=weak they reach memory in any order that aarch64 allows. In that case two stores stay in order
 * only if both store to the same word, or if the later store is a release. A fence, or the doorbell of a post, waits
 * until all stores have reached memory. Only uat_store_relaxed() and uat_store_release() delay stores. After a CPU has
 * stored a word by these functions, it must not load that word before its next post. Without an adversary every store
 * reaches memory at once.
 */

/* Add a store to this worker's buffer. release: no earlier store of this worker may reach memory after this one. */
void uat_sim_stores_add(uint64_t *word, uint64_t value, bool release);

/* Move all buffered stores of this worker to memory. */
void uat_sim_stores_drain(void);

/* Execute a queue item: move the stores of worker `rank` that are due at `time` to memory. */
void uat_sim_stores_reach(int rank, uint64_t time);

#endif
