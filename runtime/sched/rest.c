/* SPDX-License-Identifier: MIT */
#include "runtime/sched/rest.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/virtual.h"
#include "include/uat.h"
#include "include/uat/detail/failure.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/self.h"
#include "runtime/job/straggler.h"
#include "runtime/sched/alone.h"
#include "runtime/task/fork.h"
#include "runtime/sched/park.h"
#include "runtime/sched/sleep.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/watch.h"
#include "runtime/torture/torture.h"
#include "runtime/task/worker.h"

enum {
    REST_FAILURES = 64, /* a worker rests after this number of failures, because each rest costs two round trips per
                         * worker */
    DOZE_NS = 5000000,  /* nobody wakes a worker for a new limit of uat_concurrency_set() */
    SLOW_PATH = 4 << 10 /* bytes: the frames below a task while it is handed over */
};

bool uat_rest_announced;

void uat_rest_hand_over_task(void)
{
    static struct uat_park wait = {.kind = UAT_PARK_NONE, .park = uat_park_at_once};
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uat_watch_begin(); /* without room, this worker tries again at the next spawn */
    if (uat_failing.yes || !uat_park_has_room(uat_stacks_running_base() - here + uat_views_bytes + SLOW_PATH))
        return;
    uat_park(&wait);
}

bool uat_rest_hand_over_next(uintptr_t sp)
{
    static struct uat_park wait = {.kind = UAT_PARK_NONE, .park = uat_park_at_once};
    uintptr_t base = uat_deque_base_of(&uat_worker.deque, sp);
    if (!uat_crew_leaves() || uat_failing.yes || !uat_park_has_room(base - sp))
        return false;
    uat_park_leave(sp, base, &wait);
    return true;
}

/* Sleep until there may be something to do. The order of the loads is that of Y6. */
static void nap(void)
{
    uint64_t bell = uat_crew_bell();
    uint64_t ns = uat_crew_leaves() ? UINT64_MAX : DOZE_NS;
    uat_check(uat_self.transport->class_->flush(uat_self.transport)); /* acknowledgements, for which others wait */
    if (uat_collective_announced() || uat_stop_wanted() || uat_inbox_any(&uat_parking.inbox) ||
        (!uat_crew_leaves() && uat_alone_takes()))
        return;
    if (uat_sleep_any()) {
        uint64_t now = uat_clock_ns(), due = uat_sleepers.heap[0].due;
        uint64_t left = due > now ? due - now : 0;
        ns = left < ns ? left : ns;
    }
    uat_crew_nap(bell, ns);
}

void uat_rest(struct uat_idle *idle, enum uat_crew_state state, bool busy)
{
    uat_deque_refuse(&uat_worker.deque);
    if (busy)
        uat_rest_is_over();
    if (busy || idle->failures < REST_FAILURES || uat_self.size > UAT_CREW_MAX) {
        uat_idle(idle, UAT_STEAL_EMPTY, 0, 0);
        return;
    }
    uat_crew_announce(state);
    uat_rest_announced = true;
    if (UAT_IS_VIRTUAL() || uat_torture_waits_for_thieves()) { /* in virtual time nothing is gained by a sleep */
        uat_idle(idle, UAT_STEAL_EMPTY, 0, 0);
        return;
    }
    uat_neighbour_look();
    uat_straggler_root();
    nap();
}

void uat_rest_is_over(void)
{
    if (!uat_rest_announced)
        return;
    uat_crew_announce(UAT_CREW_WORKS);
    uat_rest_announced = false;
}

/* A running task sees the new limit on its next slow path, and a poke takes it there. A sleeping worker is woken. */
static void changed(int rank)
{
    if (rank == uat_self.rank)
        return;
    uat_check(uat_steal_poke(rank));
    uat_crew_wake(rank);
}

bool uat_rest_is_possible(void)
{
    return !uat_stacks && uat_self.size <= UAT_CREW_MAX;
}

void uat_rest_limit(int n)
{
    uat_crew_limit(n, changed);
    if (uat_crew_leaves())
        uat_watch_begin();
}

int uat_resize(int n)
{
    if (!uat_worker.running)
        uat_fatal("uat_resize() was called outside of a task");
    uat_fork_check();
    if (n < 1 || n > uat_self.size) {
        uat_error("uat_resize() was given %d workers; the job has 1 to %d", n, uat_self.size);
        return -EINVAL;
    }
    if (!uat_rest_is_possible()) {
        uat_error("uat_resize(): a worker cannot hand its tasks over with UAT_STACKS=iso, or in a job of more than %d "
                  "workers",
                  (int)UAT_CREW_MAX);
        return -ENOTSUP;
    }
    uat_rest_limit(n);
    return 0;
}
