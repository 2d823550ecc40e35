/* SPDX-License-Identifier: MIT */
/* Tasks that choose the worker on which they run. Such a task is sent to that worker's inbox (deque/inbox.h). */
#include <string.h>

#include "include/uat.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/task/modes.h"
#include "runtime/sched/park.h"
#include "runtime/job/crew.h"
#include "runtime/sched/spawn.h"

static void check_rank(int rank, const char *call)
{
    if (rank < 0 || rank >= uat_self.size)
        uat_fatal("%s: there is no rank %d; the job has ranks 0 to %d", call, rank, uat_self.size - 1);
}

void uat_migrate(int rank)
{
    static struct uat_park wait = {.kind = UAT_PARK_NONE, .park = uat_park_send};
    check_rank(rank, "uat_migrate()");
    uat_park_check(&wait); /* this check is first, because there are no modes outside of a run */
    uat_modes_check();
    if (rank == uat_self.rank)
        return;
    wait.tag = uat_inbox_tag(rank);
    uat_park(&wait);
}

/* The argument of a task that migrates before it calls fn. fn's argument follows this struct, and the struct's size
 * keeps the argument aligned. */
struct placed {
    uat_fn *fn;
    int64_t rank;
    char arg[];
};
_Static_assert(sizeof(struct placed) % 16 == 0, "typed tasks rely on 16 bytes");

static void run_placed(void *arg, void *result)
{
    struct placed *placed = arg;
    uat_migrate((int)(placed->rank % uat_self.size)); /* after a checkpoint the job may have fewer workers */
    placed->fn(placed->arg, result);
}

void uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t arg_size, void *result,
                  size_t result_size)
{
    check_rank(rank, "uat_spawn_on()");
    if (rank == uat_self.rank && !uat_crew_leaves()) { /* else a spawn here would hand the child over */
        uat_spawn(t, fn, arg, arg_size, result, result_size);
        return;
    }
    /* The argument is copied twice: to this frame, and to the task's frame. */
    uat_task_check((uintptr_t)__builtin_frame_address(0), arg_size > SIZE_MAX / 2 ? arg_size : 2 * arg_size,
                   result_size);
    size_t size = sizeof(struct placed) + arg_size;
    struct placed *placed = __builtin_alloca_with_align(size, 128);
    placed->fn = fn;
    placed->rank = rank;
    if (arg_size > 0)
        memcpy(placed->arg, arg, arg_size);
    uat_spawn(t, run_placed, placed, size, result, result_size);
}
