/* SPDX-License-Identifier: MIT */
#include "runtime/sched/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/job/collective.h"
#include "runtime/job/self.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum { LOOK_EVERY = 256 /* number of failed attempts between two checks; the verdict does not depend on it */ };

/* The targets of rank 0's READs. */
struct landing {
    uint64_t work, inbox, sleeping;
    uint64_t waits[UAT_PARK_KINDS];
};

struct uat_area uat_deadlock_waits = {
    .name = "tasks that wait", .size = UAT_PARK_KINDS * sizeof(uint64_t), .peers = UAT_PEERS_READ};
static struct uat_area landing_area = {
    .name = "landing of waits", .size = sizeof(struct landing), .peers = UAT_PEERS_NOTHING};

void uat_deadlock_reserve(void)
{
    uat_segment_reserve(&uat_deadlock_waits);
    uat_segment_reserve(&landing_area);
}

static struct landing *landing(void)
{
    return landing_area.at;
}

const char *uat_deadlock_name(enum uat_park_kind kind)
{
    static const char *const names[UAT_PARK_KINDS] = {
        [UAT_PARK_NONE] = "a turn to run",       [UAT_PARK_JOIN] = "a child",
        [UAT_PARK_FUTURE] = "a future",          [UAT_PARK_MUTEX] = "a mutex",
        [UAT_PARK_SHARED] = "a shared mutex",    [UAT_PARK_CONDITION] = "a condition",
        [UAT_PARK_SEMAPHORE] = "a semaphore",    [UAT_PARK_LATCH] = "a latch",
        [UAT_PARK_BARRIER] = "a barrier",        [UAT_PARK_SEND] = "room in a channel",
        [UAT_PARK_RECEIVE] = "a message",        [UAT_PARK_SELECT] = "one of several channels",
        [UAT_PARK_SLEEP] = "the end of a sleep", [UAT_PARK_CANCEL] = "a cancellable group",
        [UAT_PARK_FLOW] = "tasks of a flow"};
    return names[kind];
}

/* READ a worker's word: odd if the worker has work. A task in its inbox, or that sleeps there, is work, too. So these
 * are read first (I5, and W1 of sleep.h). */
static uint64_t read_work(int rank, const uint64_t *inbox_here)
{
    const uint64_t *waits = uat_deadlock_waits.at;
    struct uat_op first[] = {uat_op_read(&landing()->inbox, uat_segment_of(rank, inbox_here), 8),
                             uat_op_read(&landing()->sleeping, &waits[UAT_PARK_SLEEP], 8)};
    struct uat_op work = uat_op_read(&landing()->work, &uat_stall_notice()->work, 8);
    uat_check(uat_transport_do(uat_self.transport, rank, first, 2));
    uat_check(uat_transport_do(uat_self.transport, rank, &work, 1));
    return landing()->work | (landing()->inbox != 0 || landing()->sleeping != 0);
}

/* Set *sum to the sum of all workers' words. Returns false if some worker has work. The words only grow, so two sums
 * are equal only if each word is unchanged. */
static bool all_idle(const uint64_t *inbox, uint64_t *sum)
{
    *sum = 0;
    for (int rank = 0; rank < uat_self.size; rank++) {
        uint64_t work = read_work(rank, inbox);
        if (work & 1)
            return false;
        *sum += work;
    }
    return true;
}

/* Count the waiting tasks of each kind, over all workers. */
static void add_up(uint64_t *waiting)
{
    uint64_t *one = landing()->waits;
    memset(waiting, 0, UAT_PARK_KINDS * sizeof(*waiting));
    for (int rank = 0; rank < uat_self.size; rank++) {
        struct uat_op op = uat_op_read(one, uat_deadlock_waits.at, uat_deadlock_waits.size);
        uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
        for (int kind = 0; kind < UAT_PARK_KINDS; kind++)
            waiting[kind] += one[kind];
    }
}

static void report(void)
{
    uint64_t waiting[UAT_PARK_KINDS];
    char text[400] = "";
    size_t length = 0;
    add_up(waiting);
    for (int kind = UAT_PARK_JOIN; kind < UAT_PARK_KINDS; kind++)
        if (waiting[kind] > 0 && length < sizeof(text))
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%" PRIu64 " for %s", length ? ", " : "",
                                       waiting[kind], uat_deadlock_name((enum uat_park_kind)kind));
    uat_fatal("deadlock: no task can run and the root has not ended; tasks that wait: %s", length ? text : "none");
}

void uat_deadlock_look(unsigned failures, const uint64_t *inbox)
{
    uint64_t first, second;
    ((uint64_t *)uat_deadlock_waits.at)[UAT_PARK_JOIN] = uat_task_counts.joins_first - uat_task_counts.ends_second;
    if (uat_self.rank != 0 || (uat_self.size > 1 && failures % LOOK_EVERY != LOOK_EVERY - 1))
        return;
    if (all_idle(inbox, &first) && all_idle(inbox, &second) && first == second && !uat_collective_announced())
        report();
}
