/* SPDX-License-Identifier: MIT */
/* The counters: collected from the parts that count, and summed over the workers. */
#include <errno.h>
#include <string.h>

#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/counts.h"
#include "runtime/task/steal.h"
#include "runtime/task/worker.h"

int uat_stats(uat_stats_t *stats)
{
    if (!stats || !uat_self.transport)
        return -EINVAL;
    const struct uat_thief_counts *thief = uat_steal_counts();
    const struct uat_deque_counts *deque = &uat_worker.deque.count;
    const struct uat_transport *transport = uat_self.transport;
    uat_stats_t s = uat_task_counts;
    s.tasks = uat_worker.tasks;
    s.steal_attempts = thief->attempts;
    s.victims_peeked = thief->peeks;
    s.steals = thief->done;
    s.steals_empty = thief->empty;
    s.steals_lost = thief->lost;
    s.claims_aborted = thief->aborted;
    s.second_looks = thief->second_looks;
    s.published = deque->published;
    s.taken_back = deque->taken_back;
    s.withheld = deque->withheld;
    s.records_missing = deque->records_missing;
    s.owner_waits = deque->owner_waits;
    s.entries_aborted = deque->entries_aborted;
    s.stack_bytes_max = uat_segment.high - uat_segment_low_water();
    s.ops_read = transport->ops[UAT_OP_READ];
    s.ops_write = transport->ops[UAT_OP_WRITE];
    s.ops_fetch_add = transport->ops[UAT_OP_FETCH_ADD];
    s.ops_cmp_swap = transport->ops[UAT_OP_CMP_SWAP];
    s.round_trips = transport->round_trips;
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
    if (!stats || !uat_self.transport || uat_worker.running)
        return -EINVAL;
    uat_stats(&uat_segment.control->stats);
    int rc = uat_collective_barrier(); /* from here on the counters of all workers are readable */
    uat_stats_t sum = {0};
    for (int i = 0; i < uat_self.size && !rc; i++) {
        struct uat_op op = uat_op_read(&uat_segment.staging->stats, &uat_segment.control->stats, sizeof(uat_stats_t));
        rc = uat_transport_do(uat_self.transport, i, &op, 1);
        add(&sum, &uat_segment.staging->stats);
    }
    if (!rc)
        rc = uat_collective_barrier(); /* ... and until here */
    if (!rc)
        *stats = sum;
    return rc;
}
