/* SPDX-License-Identifier: MIT */
/*
 * Access to the inner state of this worker, for the benchmarks of perf/ and the tests. They use no other header of the
 * runtime. Valid between uat_init() and uat_finalize(), outside of runs unless a function says otherwise.
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
#include "runtime/sched/worker.h"
#include "runtime/job/fatal.h"
#include "transport/transport.h"

/* Also inside tasks. By its address, as the runtime itself names it, so that a benchmark measures the same code. */
static inline struct uat_deque *uat_inspect_deque(void)
{
    return &uat_worker.deque;
}
struct uat_transport *uat_inspect_transport(void);

/*
 * uat_stats_total() without stack_bytes_max, which stays 0: that one looks for the lowest byte of the region that was
 * ever written. Where all pages are present, as over verbs, it reads them, and leaves the caches cold.
 */
int uat_inspect_counters_total(uat_stats_t *stats);

/* The size of the uni-address region, in bytes, and where a root's stack segment would begin in it. */
size_t uat_inspect_region_size(void);
uintptr_t uat_inspect_region_base(void);

/* The last `bytes` of the evacuation heap, registered and at the same address in all workers. */
void *uat_inspect_spare(size_t bytes);

/* Steal once from this victim, by the protocol in use. Returns enum uat_steal or a negative errno. */
int uat_inspect_steal(int victim, struct uat_stolen *stolen);

/* Reserve the word of uat_inspect_gather() in the segment. */
void uat_inspect_reserve(void);

/* What a join that has to wait does with the stack of `bytes` at sp, and what its resumption does: out to the
 * evacuation heap, back by a READ. 0 or a negative errno. */
int uat_inspect_evacuate(uintptr_t sp, size_t bytes);

/*
 * Records and blocks that peers have not given back. After the barrier at the end of a run all peers have completed
 * their chains, so all counts must be 0.
 */
struct uat_inspect_lent {
    size_t records, stacks; /* join records and evacuated stacks */
    size_t odd_states;      /* join records whose state is odd (J1) */
};
void uat_inspect_lent(struct uat_inspect_lent *lent);

/* Words of this worker that adapters change: of the deque's ring, the ready ring, the barrier, the tree, the first record, the first object in the heap; and, where global memory is prepared, its list of objects that
 * others gave back. Returns how many these are. */
enum { UAT_INSPECT_ATOMICS = 8 };
int uat_inspect_atomics(const uint64_t *words[UAT_INSPECT_ATOMICS]);

/*
 * What this worker has done and does, for a thread of its process that watches it: from any thread, also inside of
 * runs.
 */
struct uat_inspect_glance {
    uint64_t tasks, steals; /* since uat_init() */
    bool in_run;            /* it takes part in a run, */
    bool idle;              /* and has no task now */
};
void uat_inspect_glance(struct uat_inspect_glance *glance);

/* Show a word to the others and READ theirs: words[rank] of all. Collective. 0 or a negative errno. */
int uat_inspect_gather(uint64_t own, uint64_t *words);

#endif
