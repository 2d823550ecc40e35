/* SPDX-License-Identifier: MIT */
/* Collects the counters from the parts of the runtime that keep them, and sums them over the workers. */
#include <errno.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/virtual.h"
#include "runtime/global/global.h"
#include "include/uat.h"
#include "runtime/job/tree.h"
#include "runtime/inspect.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/stacks.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/worker.h"
#include "runtime/job/call.h"

static void gather_steals(uat_stats_t *s, const struct uat_steal_traffic *traffic)
{
    s->steal_ops_read = traffic->ops[UAT_OP_READ];
    s->steal_ops_write = traffic->ops[UAT_OP_WRITE];
    s->steal_ops_fetch_add = traffic->ops[UAT_OP_FETCH_ADD];
    s->steal_ops_cmp_swap = traffic->ops[UAT_OP_CMP_SWAP];
    s->steal_requests_read = traffic->requests[UAT_OP_READ];
    s->steal_requests_write = traffic->requests[UAT_OP_WRITE];
    s->steal_requests_fetch_add = traffic->requests[UAT_OP_FETCH_ADD];
    s->steal_requests_cmp_swap = traffic->requests[UAT_OP_CMP_SWAP];
    s->steal_doorbells = traffic->doorbells;
}

/* Collect all counters except stack_bytes_max. */
static void gather_counters(uat_stats_t *stats)
{
    const struct uat_thief_counts *thief = uat_steal_counts();
    const struct uat_deque_counts *deque = &uat_worker.deque.count;
    const struct uat_transport *transport = uat_self.transport;
    uat_stats_t s = uat_task_counts;
    s.tasks = uat_worker.tasks;
    s.steal_attempts = thief->attempts;
    s.victims_peeked = thief->peeks;
    s.steals = thief->done;
    s.attempts_empty = thief->empty;
    s.attempts_lost = thief->lost;
    s.claims_aborted = thief->aborted;
    s.second_looks = thief->second_looks;
    s.published = deque->published;
    s.taken_back = deque->taken_back;
    s.publications_unacknowledged = deque->withheld;
    s.records_missing = deque->records_missing;
    s.owner_waits = deque->owner_waits;
    s.entries_aborted = deque->entries_aborted;
    s.given = deque->given;
    s.requests_refused = thief->refused;
    s.requests_withdrawn = thief->withdrawn;
    s.ops_read = transport->ops[UAT_OP_READ];
    s.ops_write = transport->ops[UAT_OP_WRITE];
    s.ops_fetch_add = transport->ops[UAT_OP_FETCH_ADD];
    s.ops_cmp_swap = transport->ops[UAT_OP_CMP_SWAP];
    s.round_trips = transport->round_trips;
    s.requests_read = transport->requests[UAT_OP_READ];
    s.requests_write = transport->requests[UAT_OP_WRITE];
    s.requests_fetch_add = transport->requests[UAT_OP_FETCH_ADD];
    s.requests_cmp_swap = transport->requests[UAT_OP_CMP_SWAP];
    s.doorbells = transport->doorbells;
    s.pages_touched = uat_stacks ? uat_stacks->pages() : 0;
    if (!UAT_IS_VIRTUAL()) { /* a simulation's counters depend on nothing but its settings */
        s.minor_faults = uat_memory_minor_faults();
        s.page_table_bytes = uat_memory_page_tables();
    }
    gather_steals(&s, uat_steal_traffic());
    uat_global_count(&s);
    *stats = s;
}

static void gather(uat_stats_t *stats)
{
    gather_counters(stats);
    stats->stack_bytes_max =
        uat_stacks ? uat_stacks->pages() * uat_stacks->page : uat_segment.high - uat_segment_low_water();
}

int uat_stats(uat_stats_t *stats)
{
    if (stats && uat_self.transport) {
        gather(stats);
        return 0;
    }
    uat_error("uat_stats() was %s", stats ? "called outside of a job" : "given NULL for the counters");
    return -EINVAL;
}

/* All counters are uint64_t. add() sums all of them except stack_bytes_max, whose maximum it takes. */
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

static int total(uat_stats_t *stats, void (*gather_own)(uat_stats_t *))
{
    int rc = uat_call_check(UAT_CALL_STATS), status = stats ? 0 : -EINVAL;
    if (rc)
        return rc;
    if (status)
        uat_error("uat_stats_total() was given NULL for the counters");
    uat_call_enter(UAT_CALL_STATS);
    uat_stats_t sum;
    gather_own(&sum);
    rc = uat_tree_sum(status, &sum, add);
    if (!rc)
        *stats = sum;
    uat_call_leave();
    return rc;
}

int uat_stats_total(uat_stats_t *stats)
{
    return total(stats, gather);
}

int uat_inspect_counters_total(uat_stats_t *stats)
{
    return total(stats, gather_counters);
}
