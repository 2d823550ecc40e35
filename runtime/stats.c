/* SPDX-License-Identifier: MIT */
/* Collects the counters from the rooms that keep them, and sums them over the workers. */
#include <errno.h>

#include "base/log.h"
#include "include/uat.h"
#include "runtime/job/tree.h"
#include "runtime/inspect.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/stacks.h"
#include "runtime/sched/worker.h"
#include "runtime/job/call.h"

/* Collect all counters except stack_bytes_max. */
static void gather_counters(uat_stats_t *stats)
{
    *stats = (uat_stats_t){0};
    UAT_EACH_ROOM(room, count)
    (*room)->count(stats);
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
