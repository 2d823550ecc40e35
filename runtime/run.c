/* SPDX-License-Identifier: MIT */
/* Two of the collective calls between uat_init() and uat_finalize(): uat_run() and uat_barrier(). */
#include "runtime/meeting.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/virtual.h"
#include "base/word.h"
#include "include/uat.h"
#include "include/uat/detail/failure.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/request.h"
#include "runtime/checkpoint/survive.h"
#include "runtime/global/global.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/job/straggler.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/stop.h"
#include "runtime/segment/segment.h"
#include "runtime/task/canary.h"
#include "runtime/task/exception.h"
#include "runtime/task/modes.h"
#include "runtime/task/worker.h"
#include "runtime/torture/statics.h"

static uint64_t common_canary;

void uat_run_set_canary(uint64_t canary)
{
    common_canary = canary;
}

uint64_t uat_run_canary(void)
{
    return common_canary;
}

/* Check what this rank has passed to uat_run(). Returns 0, or a negative errno that has been reported. */
static int check_arguments(uat_fn *root, const void *arg, size_t arg_size, const void *result, size_t result_size)
{
    size_t region = uat_segment_region_size();
    bool first = uat_self.rank == 0; /* only rank 0's root and argument are used */
    if (result_size > uat_segment.result_max) {
        uat_error("a result of %zu bytes is larger than UAT_RESULT_MAX=%zu; set it to %zu or more", result_size,
                  uat_segment.result_max, (result_size + 7) / 8 * 8);
        return -EMSGSIZE;
    }
    if (first && arg_size > region / 2) {
        uat_error("the root's argument of %zu bytes does not fit on the task stacks, UAT_STACK_SIZE=%zu; set it to %zu "
                  "or more",
                  arg_size, region, 2 * arg_size);
        return -EMSGSIZE;
    }
    const char *missing = result_size > 0 && !result      ? "no room for the result"
                          : first && !root                ? "no root on rank 0"
                          : first && arg_size > 0 && !arg ? "no argument on rank 0"
                                                          : NULL;
    if (missing)
        uat_error("uat_run() was given %s: a NULL pointer", missing);
    return missing ? -EINVAL : 0;
}

/* What a run executes, as the arguments of uat_run() and check_arguments() say. */
struct order {
    uat_fn *root;
    const void *arg;
    size_t arg_size, result_size;
    int status;
};

static void execute(const struct order *order)
{
    if (uat_checkpoint_is_interrupted()) {
        uat_checkpoint_go_on();
        uat_schedule();
    } else if (uat_self.rank > 0) {
        uat_schedule();
    } else if (order->status) {
        uat_collective_announce(NULL, 0, false);
    } else {
        uat_schedule_root(order->root, order->arg, order->arg_size, order->result_size);
    }
}

static void execute_from_copy(const struct order *order)
{
    const struct uat_chain *chain = uat_survive_recover();
    if (chain && chain->sp)
        uat_schedule_chain(chain);
    if (chain)
        uat_schedule();
    else
        execute(order);
}

/* execute() in a job that survives losses. After each loss, all workers go back to the last copy. */
static void execute_surviving(const struct order *order)
{
    bool lost;
    if (!uat_survive_begin(&lost)) {
        execute(order);
        uat_collective_pass_on();
        return;
    }
    if (_setjmp(uat_survive_back) || lost) {
        execute_from_copy(order);
    } else {
        uat_survive_watch();
        execute(order);
    }
    uat_collective_pass_on();
    uat_survive_end();
}

/* Work until the run has ended. status: what check_arguments() returned on this rank. If rank 0 cannot start the root,
 * nothing runs. A worker whose own arguments are wrong still helps the others; at the end the call fails on all.
 * Returns 0 or a negative errno. */
static int work(uat_fn *root, const void *arg, size_t arg_size, size_t result_size, int status)
{
    struct uat_worker *w = &uat_worker;
    uat_check(uat_global_run_begins());
    w->running = true;
    uat_exception_begin();
    uat_modes_note();
    uat_fault_move_handlers();
    uat_straggler_run();
    uat_stop_run();
    uat_deque_start(&w->deque);
    uat_stop_watch();
    uat_control_run();
    uat_request_in_run(true);
    uat_statics_protect(true);
    const struct order order = {root, arg, arg_size, result_size, status};
    if (uat_survive_on) {
        execute_surviving(&order);
    } else {
        execute(&order);
        uat_collective_pass_on();
    }
    uat_statics_protect(false);
    uat_straggler_over();
    uat_request_in_run(false);
    w->running = false;
    uat_deque_stop(&w->deque);
    uat_global_run_ends();
    int rc = uat_self.transport->class_->flush(uat_self.transport);
    if (rc)
        uat_fatal_note_reported();
    return rc;
}

/* How a run ended on this rank. */
struct ending {
    int status;
    uint64_t size;     /* bytes of the result, or of the failure, that reached this rank */
    uint64_t expected; /* the size that it must have; only rank 0 knows it */
};

/* Copy a result of `size` bytes to the caller's room; a caller without room wants none. Returns 0, or -EMSGSIZE, which
 * has been reported. */
static int copy_result(void *result, size_t room, const void *bytes, size_t size)
{
    if (room == 0)
        return 0;
    if (size > room) {
        uat_error("uat_run() was given room for a result of %zu bytes, but rank 0 asked for %zu", room, size);
        return -EMSGSIZE;
    }
    memcpy(result, bytes, size);
    return 0;
}

/* The run has ended: take its result or its failure. Call it before the barrier that ends the run: after that barrier
 * the others may end the next run, whose result overwrites this one. */
static void take_result(void *result, size_t result_size, struct ending *ending)
{
    const struct uat_failure *failure = uat_collective_failure(sizeof(struct uat_failure));
    size_t size = sizeof(*failure);
    const void *bytes = failure ? failure : uat_collective_result(&size);
    ending->size = size;
    ending->expected = failure ? size : result_size;
    uat_checkpoint_run_ended(bytes, size, failure);
    if (failure)
        uat_fail(failure);
    else if (!ending->status)
        ending->status = copy_result(result, result_size, bytes, size);
}

/* Take a run's result from the checkpoint. This job continues from a checkpoint that was written after the run had
 * ended. */
static void take_record(const struct uat_run_record *record, void *result, size_t result_size, struct ending *ending)
{
    ending->size = ending->expected = record->size;
    if (record->failed)
        uat_fail((const struct uat_failure *)(const void *)record->bytes);
    else if (!ending->status)
        ending->status = copy_result(result, result_size, record->bytes, record->size);
}

/* The barrier that ends a run. It compares the size of the result with the size that rank 0 asked for, because with a
 * wrong size a part of the result would be missing. Returns the lowest status of any worker. */
static int agree_on(const struct ending *ending)
{
    uint64_t expected = ending->expected;
    int rc = uat_collective_agree_on(ending->status, &expected);
    if (!rc && ending->size != expected)
        uat_word_refuse(uat_self.rank, "the size of the run's result, or rank 0's word about it,", ending->size);
    return rc;
}

UAT_NO_CANARY int uat_run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size)
{
    int rc = uat_call_check(UAT_CALL_RUN);
    if (rc)
        return rc;
    struct ending ending = {.status = check_arguments(root, arg, arg_size, result, result_size)};
    uat_call_enter(UAT_CALL_RUN);
    if (UAT_IS_VIRTUAL())
        uat_virtual->run(true);
    const struct uat_run_record *record = uat_checkpoint_run_begins();
    if (record) {
        take_record(record, result, result_size, &ending);
    } else {
        uint64_t own = uat_cpu_frames_enter(common_canary);
        rc = work(root, arg, arg_size, result_size, ending.status);
        uat_cpu_frames_leave(own);
        uat_stall_set(UAT_DOING_END);
        take_result(result, result_size, &ending);
    }
    if (!rc)
        rc = agree_on(&ending); /* only after this call may a continuation be published again */
    uat_global_after_barrier();
    if (UAT_IS_VIRTUAL())
        uat_virtual->run(false);
    uat_call_leave();
    return rc;
}

int uat_barrier(void)
{
    int rc = uat_call_check(UAT_CALL_BARRIER);
    if (rc)
        return rc;
    uat_call_enter(UAT_CALL_BARRIER);
    uat_global_before_barrier();
    rc = uat_collective_barrier();
    uat_global_after_barrier();
    uat_call_leave();
    return rc;
}
