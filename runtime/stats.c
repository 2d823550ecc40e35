/* SPDX-License-Identifier: MIT */
/* The counters: gathered from where each part counts, and added up over the workers. */
#include <errno.h>
#include <string.h>

#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/task/worker.h"
#include "runtime/watch/die.h"

int uat_stats(uat_stats_t *stats)
{
    const struct uat_worker *w = &uat_worker;
    if (!stats || !w->transport)
        return -EINVAL;
    uat_stats_t s = w->stats;
    s.tasks = w->tasks;
    s.steal_attempts = w->thief.count.attempts;
    s.victims_peeked = w->thief.count.peeks;
    s.steals = w->thief.count.done;
    s.steals_empty = w->thief.count.empty;
    s.steals_lost = w->thief.count.lost;
    s.claims_aborted = w->thief.count.aborted;
    s.second_looks = w->thief.count.second_looks;
    s.published = w->deque.count.published;
    s.taken_back = w->deque.count.taken_back;
    s.withheld = w->deque.count.withheld;
    s.records_missing = w->deque.count.records_missing;
    s.owner_waits = w->deque.count.owner_waits;
    s.entries_aborted = w->deque.count.entries_aborted;
    s.stack_bytes_max = w->segment.high - uat_segment_low_water(&w->segment);
    s.ops_read = w->transport->ops[UAT_OP_READ];
    s.ops_write = w->transport->ops[UAT_OP_WRITE];
    s.ops_fetch_add = w->transport->ops[UAT_OP_FETCH_ADD];
    s.ops_cmp_swap = w->transport->ops[UAT_OP_CMP_SWAP];
    s.round_trips = w->transport->round_trips;
    *stats = s;
    return 0;
}

/* All counters are uint64_t; stack_bytes_max is the only one that is not a sum. */
_Static_assert(sizeof(uat_stats_t) % sizeof(uint64_t) == 0, "a structure of counters");

static void add(uat_stats_t *sum, const uat_stats_t *one)
{
    uint64_t most = sum->stack_bytes_max > one->stack_bytes_max ? sum->stack_bytes_max : one->stack_bytes_max;
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
    sum->stack_bytes_max = most;
}

int uat_stats_total(uat_stats_t *stats)
{
    struct uat_worker *w = &uat_worker;
    if (!stats || !w->transport || w->running)
        return -EINVAL;
    uat_stats(&w->segment.control->stats);
    int rc = uat_collective_barrier(); /* from here on all counters can be read */
    uat_stats_t sum = {0};
    for (int i = 0; i < w->size && !rc; i++) {
        struct uat_op op = uat_op_read(&w->segment.staging->stats, &w->segment.control->stats, sizeof(uat_stats_t));
        rc = uat_transport_do(w->transport, i, &op, 1);
        add(&sum, &w->segment.staging->stats);
    }
    if (!rc)
        rc = uat_collective_barrier(); /* ... and until here */
    if (!rc)
        *stats = sum;
    return rc;
}
