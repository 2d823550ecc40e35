/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: what a worker does while it is not in a task. It runs on the process's own stack. The code that copies
 * a stack out of the uni-address region also runs on the process's own stack. uat_resume() returns to the scheduler if
 * the running task has ended away from its spawner, waits for a child that lives elsewhere, or stops for a checkpoint.
 * When a task waits for an event, uat_schedule_next() switches directly to the next task. uat_resume() returns if there
 * is none.
 */
#include "runtime/sched/scheduler.h"

#include <assert.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "asm/switch.h"
#include "base/clock.h"
#include "include/uat/detail/failure.h"
#include "runtime/global/global.h"
#include "runtime/job/collective.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/alone.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/chains.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/join.h"
#include "runtime/sched/rest.h"
#include "runtime/task/sanitize.h"
#include "runtime/sched/sleep.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/watch.h"
#include "runtime/sched/park.h"
#include "runtime/task/views.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

/* Resume a continuation whose child lives elsewhere. From now on the continuation's task has one more child to join.
 * Returns sp. */
static uintptr_t go_on_without_child(uintptr_t sp, uintptr_t base)
{
    uat_frame_at(base)->pending++;
    return sp;
}

/* The youngest continuation that this worker still has, or 0. Its child runs elsewhere or is evacuated. */
static uintptr_t pop_own(void)
{
    struct uat_deque *deque = &uat_worker.deque;
    if (uat_deque_drop_base(deque))
        return 0;
    while (uat_deque_size(deque) > 0) {
        uintptr_t sp;
        enum uat_pop pop = uat_deque_pop(deque, &sp);
        if (pop == UAT_POP_GONE)
            continue;
        /* All entries older than a parted entry have parted, too. The function pops a private entry only if the entry
         * lies right below a task that waits. In that case uat_park_part_next() has just parted the entry from this
         * task. uat_stacks_enter() keeps the task's record in place. */
        assert(pop == UAT_POP_PARTED || uat_frame_at(sp)->task->record != 0);
        uat_task_counts.continued++;
        return go_on_without_child(sp, uat_deque_base_of(deque, sp));
    }
    return 0;
}

/* The continuation to run next, or 0. A worker that leaves the crew hands its continuations over, one after the
 * other. */
static uintptr_t next_own(void)
{
    uintptr_t sp = pop_own();
    while (sp && __builtin_expect(uat_crew_leaves(), 0) && uat_rest_hand_over_next(sp))
        sp = pop_own();
    return sp;
}

/* The root has ended here, wherever it was started: announce the end of the run. */
static void end_run(uintptr_t base)
{
    struct uat_frame *frame = uat_frame_at(base);
    uat_views_drop();
    if (uat_failing.yes) {
        uat_collective_announce(&uat_failing.failure, sizeof(uat_failing.failure), true);
        uat_failure_take(NULL);
    } else {
        uat_collective_announce(uat_frame_result(frame), frame->result_size, false);
    }
}

/* A task without a spawner (see alone.h) has ended on this worker. It may have started on any worker. */
static void end_alone(uintptr_t base)
{
    uint64_t entry = uat_frame_at(base)->record;
    if (!entry)
        end_run(base);
    else
        uat_alone_ended(entry);
}

/* What to run after `event` (the end of a task, a join, or a stop): a stack pointer, or 0 for nothing. */
static uintptr_t after(int event)
{
    struct uat_worker *w = &uat_worker;
    uintptr_t at = w->suspended_sp, next;
    uint64_t begin = uat_trace_begin();
    if (event == UAT_EVENT_ENDED) {
        bool alone = !uat_frame_at(at)->task;
        if (alone)
            end_alone(at);
        next = alone ? 0 : uat_join_child_ended(at);
        uat_stacks_free(at); /* its frame is no longer needed */
        if (alone)
            return 0;
        uat_trace_end(UAT_TRACE_END, begin, 0, -1);
    } else if (w->suspended_task == &uat_stop_mark) {
        return at; /* uat_stop_task() */
    } else {
        next = uat_join_wait_at(at, uat_deque_base_of(&w->deque, at));
        uat_trace_end(next ? UAT_TRACE_JOIN : UAT_TRACE_WAIT, begin, 0, -1);
    }
    return next ? next : next_own();
}

/* The time at which the running task was entered. This variable belongs to the process and does not migrate. */
static uint64_t entered;

/* Called before a switch to the task whose segment begins at base. */
static inline void enter_task(uintptr_t base)
{
    uat_sanitize_enter(uat_segment.low, uat_segment.high, base);
    entered = uat_trace_begin();
}

/* Called after the switch back to the scheduler. */
static inline void leave_task(void)
{
    uat_trace_end(UAT_TRACE_RUN, entered, 0, -1);
    uat_sanitize_leave();
}

/* The next ready task, or 0. The worker's own deque must be empty. */
static inline uintptr_t next_ready(void)
{
    assert(uat_deque_size(&uat_worker.deque) == 0);
    uat_sanitize_unpoison(uat_segment.low, uat_segment.high); /* red zones left by stacks that have moved away */
    return uat_collective_announced() || uat_stop_wanted() || uat_crew_leaves() ? 0 : uat_park_take_own();
}

/* Called when the running task has begun to wait. Returns the stack pointer of the next task to run, or 0. So the
 * worker switches from a waiting task to a runnable one without passing through run(). */
uintptr_t uat_schedule_next(void)
{
    struct uat_worker *w = &uat_worker;
    leave_task();
    uint64_t begin = uat_trace_begin();
    uat_park_leave(w->suspended_sp, uat_deque_base_of(&w->deque, w->suspended_sp),
                   (struct uat_park *)(void *)w->suspended_task);
    uat_trace_end(UAT_TRACE_WAIT, begin, 0, -1);
    uintptr_t sp = next_own();
    if (!sp)
        sp = next_ready();
    if (sp)
        enter_task(uat_deque_base_of(&w->deque, sp));
    return sp;
}

/* What to run after a task that came back with this event. */
static uintptr_t next_after(int event)
{
    if (event == UAT_EVENT_PARKED) /* uat_schedule_next() has called leave_task() and found nothing to run */
        return 0;
    leave_task();
    uintptr_t sp = after(event);
    return sp ? sp : next_ready();
}

/* Continue at sp, then run what follows, including ready tasks, until nothing is left to run here. */
static void run_on(uintptr_t sp)
{
    while (sp) {
        if (uat_stop_wanted()) /* a checkpoint */
            uat_stop_worker(sp, NULL);
        enter_task(uat_deque_base_of(&uat_worker.deque, sp));
        /* asm/PROCESSOR/switch.S. A stolen task continues after its uat_spawn(). */
        sp = next_after(uat_resume(sp));
    }
}

/* Does what run_on() does. The stall watch sees the whole loop as one long "task". Reading the clock at each switch
 * would take a tenth as long as the switch itself. */
static void run(uintptr_t sp)
{
    uat_stall_set(UAT_DOING_TASK);
    run_on(sp);
    uat_stall_set(UAT_DOING_SCHEDULE);
}

/* Try to steal once. Run the stolen work to its end. */
static void steal_once(struct uat_idle *idle)
{
    struct uat_stolen stolen;
    uint64_t begin = uat_trace_begin(), start = uat_clock_ns();
    int result = uat_check(uat_steal_try(&stolen));
    uat_trace_attempt(begin, result == UAT_STEAL_DONE, stolen.victim, stolen.base - stolen.sp);
    if (result != UAT_STEAL_DONE) {
        uat_idle(idle, result, stolen.trips, uat_clock_ns() - start);
        return;
    }
    *idle = (struct uat_idle){0};
    unsigned trips = stolen.trips < UAT_STATS_ROUND_TRIPS ? stolen.trips : UAT_STATS_ROUND_TRIPS - 1;
    uat_task_counts.trips_histogram[trips]++;
    uat_task_counts.steal_trips += stolen.trips;
    uat_task_counts.steal_bytes += stolen.base - stolen.sp;
    uat_global_after_steal(); /* an acquire: cached far bytes are outdated from now on */
    uat_stacks_arrived(stolen.sp, stolen.base, true);
    uat_deque_push_gone(&uat_worker.deque, stolen.base); /* the stolen task's base: its spawner is elsewhere */
    run(go_on_without_child(stolen.sp, stolen.base));
}

/* Start a task on the empty region, without a spawn, and run until nothing is left to run here. The caller informs
 * the stall watch. */
static void start(const struct uat_alone *task, size_t result_size)
{
    /* see the layout in spawn.S */
    uintptr_t sp = uat_stacks ? uat_stacks->take() : uat_segment.high - UAT_STACK_TOP_ROOM;
    struct uat_frame *frame = uat_frame_at(sp);
    uat_sanitize_unpoison(uat_segment.low, uat_segment.high); /* red zones left by the last run */
    *frame = (struct uat_frame){.task = task->group, .record = task->name, .result_size = (uint32_t)result_size};
    char *result = uat_frame_result(frame);
    char *copy = result - ((task->arg_size + 15) & ~(size_t)15);
    copy = (char *)((uintptr_t)copy & ~(uintptr_t)15);
    memset(result, 0, result_size);
    if (task->arg_size)
        memcpy(copy, task->arg, task->arg_size);
    if (task->group) /* as in uat_spawn_part() */
        frame->result_size = task->index;
    uat_worker.tasks++;
    uat_notice_begin(uat_stall_notice());
    uat_deque_push_gone(&uat_worker.deque, sp);
    enter_task(uat_stacks ? sp : uat_segment.high);
    run_on(next_after(uat_start(sp, task->fn, copy, result)));
}

/* A room may have woken a task without starting one, so check whether a task is ready here. The ready task
 * must run before any attempt to steal, because a failed attempt publishes that this worker has no work. */
static bool has_ready(void)
{
    return uat_ready_any(&uat_parking.ready);
}

/* Start a data-flow task or an adaptive part, and then the data-flow tasks that are ready on this worker. The stall
 * watch sees one long task, as in run(). */
static void start_all(struct uat_alone *task)
{
    uat_stall_set(UAT_DOING_TASK);
    do
        start(task, UAT_ALONE_RESULT);
    while (!uat_collective_announced() && !uat_stop_wanted() && !uat_crew_leaves() && uat_alone_take_own(task));
    uat_stall_set(UAT_DOING_SCHEDULE);
}

/* This worker is out of the crew. It runs only what no other worker may run, and lets the others take the rest. */
static void stay_out(struct uat_idle *idle)
{
    struct uat_alone alone;
    uat_watch_begin(); /* a task that runs here is handed over at its first spawn */
    uintptr_t sp = uat_park_take_sent();
    bool starts = !sp && uat_alone_take_bound(&alone);
    if (sp || starts) {
        *idle = (struct uat_idle){0};
        uat_rest_is_over(); /* what the task cannot hand over, thieves may take */
        if (sp)
            run(sp);
        else
            start_all(&alone);
        return;
    }
    uat_ready_offer(&uat_parking.ready);
    uat_alone_offer();
    uat_park_idle(idle->failures);
    uat_rest(idle, UAT_CREW_AWAY, has_ready() || uat_alone_any());
}

/* This worker found no work, and may not or cannot take any: the limit of uat_concurrency_set() excludes it, or all
 * others rest, or it is alone. */
static void wait_for_work(struct uat_idle *idle)
{
    bool excluded = !uat_alone_takes();
    if (uat_self.size == 1 && uat_sleep_any())
        uat_sleep_pause();
    else if (uat_self.size > 1 && excluded)
        uat_rest(idle, UAT_CREW_DOZES, false);
    else if (uat_self.size > 1)
        uat_idle(idle, UAT_STEAL_EMPTY, 0, 0);
}

/* All workers have gone back to an earlier state of the run, and their rooms were reset: begin as at a run's start. */
static void begin_anew(void)
{
    const struct uat_chain *chain = uat_stop_chain();
    uat_deque_start(&uat_worker.deque);
    uat_stop_watch();
    if (chain->sp)
        uat_schedule_chain(chain);
}

static void work(void)
{
    struct uat_idle idle = {0};
    uat_stall_set(UAT_DOING_SCHEDULE);
    while (!uat_collective_announced()) {
        if (uat_stop_wanted()) {
            uat_stop_worker(0, NULL);
            continue;
        }
        const struct uat_chain *chain = uat_chains_next(); /* only in a job that continues from a checkpoint */
        if (chain) {
            uat_schedule_chain(chain);
            continue;
        }
        if (uat_crew_leaves()) {
            stay_out(&idle);
            continue;
        }
        uat_watch_end_if_back();
        struct uat_alone alone;
        uintptr_t sp = uat_park_take_own();
        bool starts = !sp && uat_alone_take_own(&alone);
        if (!sp && !starts && has_ready())
            continue;
        bool takes = uat_self.size > 1 && uat_alone_takes() && uat_crew_has_others();
        if (__builtin_expect(uat_rest_announced, 0) && (sp || starts || uat_alone_takes()))
            uat_rest_is_over();
        if (!sp && !starts && takes) {
            sp = uat_park_take_other();
            starts = !sp && uat_alone_take_other(&alone);
        }
        if (sp || starts) {
            idle = (struct uat_idle){0};
            if (sp)
                run(sp);
            else
                start_all(&alone);
            continue;
        }
        if (has_ready())
            continue;
        uat_park_idle(idle.failures);
        if (takes)
            steal_once(&idle);
        else
            wait_for_work(&idle);
    }
    uat_trace_attempts_over();
}

void uat_schedule(void)
{
    if (_setjmp(uat_stop_back))
        begin_anew();
    work();
}

void uat_schedule_chain(const struct uat_chain *chain)
{
    struct uat_worker *w = &uat_worker;
    uat_chain_put(chain, &w->deque);
    w->suspended_sp = chain->sp;
    w->suspended_task = (uat_task_t *)chain->join;
    run(chain->join ? after(UAT_EVENT_WAITING) : chain->sp);
}

void uat_schedule_describe(char *text, size_t size)
{
    const struct uat_deque *deque = &uat_worker.deque;
    const struct uat_thief_counts *steals = uat_steal_counts();
    int n =
        snprintf(text, size, "%zu entries, %u published; %" PRIu64 " tasks, %" PRIu64 " steals of %" PRIu64 " attempts",
                 uat_deque_size(deque), deque->published, uat_worker.tasks, steals->done, steals->attempts);
    if (n > 0 && (size_t)n < size)
        uat_park_describe(text + n, size - (size_t)n);
}

void uat_schedule_root(uat_fn *root, const void *arg, size_t arg_size, size_t result_size)
{
    const struct uat_alone task = {.fn = root, .arg = arg, .arg_size = arg_size};
    uat_stall_set(UAT_DOING_TASK);
    if (_setjmp(uat_stop_back))
        begin_anew();
    else
        start(&task, result_size);
    uat_schedule();
}
