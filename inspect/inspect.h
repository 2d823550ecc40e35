/* SPDX-License-Identifier: MIT */
/*
 * Access to the inner state of this worker, for the benchmarks of perf/ and the tests. Benchmarks, and tests of whole
 * programs, use no other header of the runtime. The functions may be called between uat_init() and uat_finalize(). A
 * function may be called during a run only if its comment says so.
 */
#ifndef UAT_INSPECT_H
#define UAT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/owner.h"
#include "deque/phase.h"
#include "deque/thief.h"
#include "include/uat/stats.h"
#include "runtime/sched/idle.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"
#include "transport/transport.h"

/* This function may also be called inside tasks. It uses the deque's fixed address, as the runtime does, so that a
 * benchmark measures the same code. */
static inline struct uat_deque *uat_inspect_deque(void)
{
    return &uat_worker.deque;
}
struct uat_transport *uat_inspect_transport(void);

/*
 * uat_stats_detail_total() without stack_bytes_max, which stays 0. Finding that value means searching the region for
 * the lowest byte that was ever written. Over verbs all pages are present, so the search reads all of them and leaves
 * the caches cold.
 */
int uat_inspect_counters_total(uat_stats_detail_t *stats);

/* The size of the uni-address region in bytes, and the address at which a root's stack segment would start. */
size_t uat_inspect_region_size(void);
uintptr_t uat_inspect_region_base(void);

/* `bytes` bytes at the end of the evacuation heap. They are registered, and have the same address in workers of all
 * colours. NULL: the heap is smaller. */
void *uat_inspect_spare(size_t bytes);

/* The number of this worker's host: workers have equal numbers if they run on one host, simulated hosts included. */
int uat_inspect_host(void);

/* Steal once from this victim by the current protocol. Returns enum uat_steal or a negative errno. */
int uat_inspect_steal(int victim, struct uat_stolen *stolen);

/* Do what a waiting join does: move the stack of `bytes` bytes at sp to the evacuation heap. Then READ the stack back,
 * as the resumption does. Returns 0 or a negative errno. */
int uat_inspect_evacuate(uintptr_t sp, size_t bytes);

/*
 * Records and blocks that peers have not yet given back. All peers complete their chains before the barrier at a run's
 * end, so all counts must be 0 after it.
 */
struct uat_inspect_lent {
    size_t records, stacks; /* join records and evacuated stacks */
    size_t odd_states;      /* join records whose state is odd (J1) */
    size_t open_counts;     /* join records whose count is not 0 (J4) */
};
void uat_inspect_lent(struct uat_inspect_lent *lent);

/* Get the addresses of some of the words of this worker that adapters change. These words are in the deque's ring, the
 * ready ring, the barrier, the tree, the first record and the first object in the heap. While global memory is open,
 * they also include the head of a list: this worker's objects that other workers freed. Returns their number. */
enum { UAT_INSPECT_ATOMICS = 9 };
int uat_inspect_atomics(const uint64_t *words[UAT_INSPECT_ATOMICS]);

/*
 * A snapshot of this worker's counters and state, for a watching thread of its process. It may be taken from any
 * thread, also during runs.
 */
struct uat_inspect_glance {
    uint64_t tasks, steals; /* counts since uat_init() */
    bool in_run;            /* the worker takes part in a run */
    bool idle;              /* the worker takes part in a run, and has no task at the moment */
};
void uat_inspect_glance(struct uat_inspect_glance *glance);

/* Show `own` to the other workers and READ their words into words[], by rank. Collective. Returns 0 or a negative
 * errno. */
int uat_inspect_gather(uint64_t own, uint64_t *words);

#endif
