/* SPDX-License-Identifier: MIT */
/* What all workers call together between uat_init() and uat_finalize(): runs and barriers. */
#include "runtime/run.h"

#include <errno.h>

#include "asm/switch.h"
#include "base/log.h"
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/canary.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/torture.h"
#include "runtime/task/worker.h"
#include "runtime/watch/die.h"
#include "runtime/watch/stall.h"

static uint64_t common_canary;

void uat_run_set_canary(uint64_t canary)
{
    common_canary = canary;
}

uint64_t uat_run_canary(void)
{
    return common_canary;
}

/* One run, under the common canary. */
static int run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size)
{
    struct uat_worker *w = &uat_worker;
    w->running = true;
    uat_deque_start(&w->deque, uat_torture_on);
    if (uat_self.rank == 0)
        uat_schedule_root(root, arg, arg_size, result_size);
    else
        uat_schedule();
    uat_collective_pass_on();
    uat_collective_take_result(result, result_size);
    w->running = false;
    uat_deque_stop(&w->deque);
    int rc = uat_self.transport->class_->quiet(uat_self.transport);
    uat_stall_set(UAT_DOING_END);
    if (!rc)
        rc = uat_collective_barrier(); /* only now may anything be published again */
    uat_stall_set(UAT_DOING_OUTSIDE);
    if (rc)
        uat_die_explained();
    return rc;
}

/* Is there room for argument and result? */
static int check_sizes(size_t arg_size, size_t result_size)
{
    size_t region = uat_segment_region_size();
    if (result_size > uat_segment.result_max) {
        uat_error("a result of %zu bytes is larger than UAT_RESULT_MAX=%zu; set it to %zu or more", result_size,
                  uat_segment.result_max, (result_size + 7) / 8 * 8);
        return -EMSGSIZE;
    }
    if (arg_size > region / 2) {
        uat_error("the root's argument of %zu bytes does not fit on the task stacks, UAT_STACK_SIZE=%zu; set it to %zu "
                  "or more",
                  arg_size, region, 2 * arg_size);
        return -EMSGSIZE;
    }
    return 0;
}

UAT_NO_CANARY int uat_run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size)
{
    if (!uat_self.transport || uat_worker.running || (uat_self.rank == 0 && !root) || (result_size > 0 && !result))
        return -EINVAL;
    int rc = check_sizes(arg_size, result_size);
    if (rc)
        return rc;
    uint64_t canary = uat_canary_get();
    uat_canary_set(common_canary);
    rc = run(root, arg, arg_size, result, result_size);
    uat_canary_set(canary);
    return rc;
}

int uat_barrier(void)
{
    if (!uat_self.transport || uat_worker.running)
        return -EINVAL;
    uat_stall_set(UAT_DOING_BARRIER);
    int rc = uat_collective_barrier();
    if (rc)
        uat_die_explained();
    uat_stall_set(UAT_DOING_OUTSIDE);
    return rc;
}
