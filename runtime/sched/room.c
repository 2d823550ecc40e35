/* SPDX-License-Identifier: MIT */
/* The scheduler's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/sched/failure.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/meet.h"
#include "runtime/sched/park.h"
#include "runtime/sched/rest.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/stop.h"
#include "runtime/task/worker.h"

static void reserve(void)
{
    uat_steal_reserve();
    uat_stop_reserve();
    uat_meet_reserve();
    uat_failure_reserve();
    uat_park_reserve();
}

static void count_steals(uat_stats_detail_t *s)
{
    const struct uat_thief_counts *thief = uat_steal_counts();
    const struct uat_steal_traffic *traffic = uat_steal_traffic();
    s->steal_attempts = thief->attempts;
    s->victims_peeked = thief->peeks;
    s->steals = thief->done;
    s->attempts_empty = thief->empty;
    s->attempts_lost = thief->lost;
    s->claims_aborted = thief->aborted;
    s->second_looks = thief->second_looks;
    s->requests_refused = thief->refused;
    s->requests_withdrawn = thief->withdrawn;
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

static void count_deque(uat_stats_detail_t *s)
{
    const struct uat_deque_counts *deque = &uat_worker.deque.count;
    s->published = deque->published;
    s->taken_back = deque->taken_back;
    s->publications_unacknowledged = deque->withheld;
    s->records_missing = deque->records_missing;
    s->owner_waits = deque->owner_waits;
    s->entries_aborted = deque->entries_aborted;
    s->given = deque->given;
}

static void count(uat_stats_detail_t *s)
{
    count_steals(s);
    count_deque(s);
}

/* The deque, what thieves and rank 0 read of this worker, and the tasks that wait or sleep here, together: a deque that
 * is empty beside words that name its entries would look like a lost task. uatrun's request for a size, and requests to
 * stop that a signal handler of this process has noted, stay: they are for the next run. */
static void reset(void)
{
    uat_steal_reset();
    uat_victims_reset();
    uat_idle_open();
    uat_park_reset();
    uat_stop_reset();
    uat_rest_announced = false;
}

const struct uat_room uat_sched_room = {.name = "sched",
                                        .reserve = reserve,
                                        .count = count,
                                        .describe = uat_schedule_describe,
                                        .reset = reset,
                                        .save = uat_waiting_save,
                                        .restore = uat_waiting_restore,
                                        .sections = UAT_WAITING_SECTIONS};
