/* SPDX-License-Identifier: MIT */
/* Collects the counters from the rooms that keep them, and sums them over the workers. */
#include <errno.h>

#include "base/log.h"
#include "include/uat.h"
#include "runtime/job/tree.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/task/stacks.h"
#include "runtime/job/call.h"

static void gather(uat_stats_detail_t *stats)
{
    *stats = (uat_stats_detail_t){0};
    UAT_EACH_ROOM(room, count)
    (*room)->count(stats);
    stats->stack_bytes_max =
        uat_stacks ? uat_stacks->pages() * uat_stacks->page : uat_segment.high - uat_segment_low_water();
}

/* The counters that a user understands. Copies every field of uat_stats_t. */
static uat_stats_t summary(const uat_stats_detail_t *all)
{
    _Static_assert(sizeof(uat_stats_t) == 14 * sizeof(uint64_t), "a new field needs a line below");
    return (uat_stats_t){
        .tasks = all->tasks,
        .steal_attempts = all->steal_attempts,
        .steals = all->steals,
        .steal_bytes = all->steal_bytes,
        .evacuations = all->evacuations,
        .evacuated_bytes = all->evacuated_bytes,
        .stack_bytes_max = all->stack_bytes_max,
        .round_trips = all->round_trips,
        .global_hits = all->global_hits,
        .global_misses = all->global_misses,
        .global_bytes_fetched = all->global_bytes_fetched,
        .global_bytes_written = all->global_bytes_written,
        .minor_faults = all->minor_faults,
        .page_table_bytes = all->page_table_bytes,
    };
}

/* Get this worker's counters for the function `name`, if its caller's pointer is not NULL. */
static int own(const char *name, const void *stats, uat_stats_detail_t *all)
{
    if (stats && uat_self.transport) {
        gather(all);
        return 0;
    }
    uat_error("%s() was %s", name, stats ? "called outside of a job" : "given NULL for the counters");
    return -EINVAL;
}

int uat_stats(uat_stats_t *stats)
{
    uat_stats_detail_t all;
    int rc = own("uat_stats", stats, &all);
    if (!rc)
        *stats = summary(&all);
    return rc;
}

int uat_stats_detail(uat_stats_detail_t *stats)
{
    return own("uat_stats_detail", stats, stats);
}

/* Set *sum to the counters of all workers, for the function `name`. stats: its caller's pointer. */
static int total(const char *name, const void *stats, uat_stats_detail_t *sum)
{
    int rc = uat_call_check(UAT_CALL_STATS), status = stats ? 0 : -EINVAL;
    if (rc)
        return rc;
    if (status)
        uat_error("%s() was given NULL for the counters", name);
    uat_call_enter(UAT_CALL_STATS);
    gather(sum);
    rc = uat_tree_sum(status, sum);
    uat_call_leave();
    return rc;
}

int uat_stats_total(uat_stats_t *stats)
{
    uat_stats_detail_t sum;
    int rc = total("uat_stats_total", stats, &sum);
    if (!rc)
        *stats = summary(&sum);
    return rc;
}

int uat_stats_detail_total(uat_stats_detail_t *stats)
{
    uat_stats_detail_t sum;
    int rc = total("uat_stats_detail_total", stats, &sum);
    if (!rc)
        *stats = sum;
    return rc;
}
