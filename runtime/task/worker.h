/* SPDX-License-Identifier: MIT */
/*
 * This process as a worker. One global, so that a task finds the worker it is on now, whatever worker it was on before.
 *
 * Code that may run in a task reads from here what it needs after each point where the task may migrate, and keeps
 * none of it in a frame across such a point.
 */
#ifndef UAT_WORKER_H
#define UAT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "base/options.h"
#include "deque/owner.h"
#include "deque/thief.h"
#include "include/uat.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/record.h"
#include "runtime/memory/segment.h"
#include "transport/transport.h"

struct uat_worker {
    struct uat_deque deque;
    _Alignas(256) uint64_t tasks; /* spawned here. At a fixed offset, for the assembly */
    uintptr_t scheduler_sp;       /* where uat_resume() waits, on the process's own stack */
    uintptr_t suspended_sp;       /* a task that waits in uat_join_wait(), and for which child */
    uat_task_t *suspended_task;

    bool running; /* inside uat_run() */
    int rank, size;
    bool oversubscribed; /* more workers than cores on this host */
    struct uat_options options;
    struct uat_segment segment;
    struct uat_record_pool records;
    struct uat_heap heap;
    struct uat_transport *transport;
    const char *transport_reason;
    struct uat_thief thief;
    uat_steal_fn *steal;
    int *near; /* ranks of the other workers on this host */
    int near_count;
    uint64_t random;            /* state of the victims' order; never 0 */
    uint64_t runs;              /* completed */
    uint64_t barriers;          /* entered */
    uint64_t clock_comparisons; /* entered */
    uint64_t canary;            /* of all workers, inside uat_run() */
    uat_stats_t stats;          /* what is counted here; the rest is gathered in stats.c */
};

extern struct uat_worker uat_worker __attribute__((visibility("hidden")));

/* Random 64 bits (xorshift, Marsaglia 2003). */
static inline uint64_t uat_worker_random(void)
{
    uint64_t r = uat_worker.random;
    r ^= r << 13;
    r ^= r >> 7;
    r ^= r << 17;
    return uat_worker.random = r;
}

#endif
