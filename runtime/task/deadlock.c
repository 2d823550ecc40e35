/* SPDX-License-Identifier: MIT */
#include "runtime/task/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/counts.h"
#include "runtime/watch/die.h"

enum { LOOK_EVERY = 256 /* failed attempts between two looks: when to look, not what to conclude */ };

const char *uat_deadlock_name(enum uat_park_kind kind)
{
    static const char *const names[UAT_PARK_KINDS] = {[UAT_PARK_NONE] = "nothing",
                                                      [UAT_PARK_JOIN] = "a child",
                                                      [UAT_PARK_FUTURE] = "a future",
                                                      [UAT_PARK_MUTEX] = "a mutex",
                                                      [UAT_PARK_CONDITION] = "a condition",
                                                      [UAT_PARK_SEMAPHORE] = "a semaphore",
                                                      [UAT_PARK_LATCH] = "a latch",
                                                      [UAT_PARK_BARRIER] = "a barrier",
                                                      [UAT_PARK_SEND] = "room in a channel",
                                                      [UAT_PARK_RECEIVE] = "a message",
                                                      [UAT_PARK_SELECT] = "one of several channels"};
    return names[kind];
}

/* A worker's word; odd: it has work. */
static uint64_t read_work(int rank)
{
    struct uat_staging *staging = uat_segment.staging;
    struct uat_op op = uat_op_read(&staging->old, uat_segment_of(rank, &uat_segment.control->notice.work), 8);
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
    return staging->old;
}

/* All words, added up; false: somebody has work. The sum of words that only grow is the same only if each is. */
static bool all_idle(uint64_t *sum)
{
    *sum = 0;
    for (int rank = 0; rank < uat_self.size; rank++) {
        uint64_t work = read_work(rank);
        if (work & 1)
            return false;
        *sum += work;
    }
    return true;
}

/* How many tasks wait for what, over all workers. */
static void add_up(uint64_t *waiting)
{
    uint64_t *one = uat_segment.staging->waits;
    memset(waiting, 0, UAT_PARK_KINDS * sizeof(*waiting));
    for (int rank = 0; rank < uat_self.size; rank++) {
        struct uat_op op =
            uat_op_read(one, uat_segment_of(rank, uat_segment.control->waits), UAT_PARK_KINDS * sizeof(*one));
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
    uat_die("deadlock: no task can run and the root has not ended; tasks that wait: %s", length ? text : "none");
}

void uat_deadlock_look(unsigned failures)
{
    uint64_t first, second;
    struct uat_control *control = uat_segment.control;
    control->waits[UAT_PARK_JOIN] = uat_task_counts.joins_first - uat_task_counts.ends_second;
    if (uat_self.rank != 0 || (uat_self.size > 1 && failures % LOOK_EVERY != LOOK_EVERY - 1))
        return;
    if (all_idle(&first) && all_idle(&second) && first == second && !uat_collective_announced())
        report();
}
