/* SPDX-License-Identifier: MIT */
/*
 * The cost of spawn and join without steals. On one worker, the program times each part of the owner's path separately.
 * On several workers, it shows whether a flat loop spreads over all workers. In a flat loop, one parent spawns one
 * child after another.
 */
#include <errno.h>
#include <string.h>

#include "asm/switch.h"
#include "base/virtual.h"
#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/probe_thread.h"
#include "perf/report.h"
#include "perf/samples.h"
#include "perf/spawn_sizes.h"
#include "perf/tsc.h"
#include "inspect/inspect.h"

enum {
    BATCH = 1000, /* operations between two reads of the counter */
    WINDOW = 100, /* children that a flat loop spawns before it joins them */
    DEPTH = 32,   /* spawners above the inner loop; at any time, fewer entries than this are published */
    TASKS_MAX = 1000000000
};
_Static_assert(BATCH % WINDOW == 0, "a batch consists of whole windows");

static int64_t tasks = 1000000;
static int64_t stack_bytes = 1024;
static int64_t work = 5000;

enum part { PUSH_POP, PUBLISH, SWITCH, EVACUATE, SPAWN_JOIN, FLAT_LOOP, GROUP_LOOP, PARTS };
static struct uat_samples parts[PARTS];
static uint64_t bodies_here; /* number of bodies that ran on this worker */

UAT_TASK(uint64_t, tiny, uint64_t, n)
{
    return n + 1;
}

/* A body of adjustable length: each step depends on the previous one. */
UAT_TASK(uint64_t, body, int64_t, steps)
{
    uint64_t x = 1;

    for (int64_t i = 0; i < steps; i++) {
        x *= 0x9e3779b97f4a7c15u;
        __asm__ volatile("" : "+r"(x));
    }
    bodies_here++;
    return x != 0;
}

/* Run one window of a flat loop. Returns the number of children that gave the right answer. */
static inline __attribute__((always_inline)) uint64_t tiny_window(void)
{
    tiny_task children[WINDOW];
    uint64_t right = 0;

    for (uint64_t i = 0; i < WINDOW; i++)
        tiny_spawn(&children[i], i);
    for (uint64_t i = 0; i < WINDOW; i++)
        right += tiny_join(&children[i]) == i + 1;
    return right;
}

UAT_TASK(uint64_t, flat_loop, int64_t, batches)
{
    uint64_t right = 0;

    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (int i = 0; i < BATCH / WINDOW; i++)
            right += tiny_window();
        uat_samples_add(&parts[FLAT_LOOP], uat_counter() - begin);
    }
    return right;
}

/* The flat loop with a group instead of handles. */
UAT_TASK(uint64_t, group_loop, int64_t, batches)
{
    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (int i = 0; i < BATCH / WINDOW; i++) {
            uat_group_t group;

            uat_group_begin(&group);
            for (uint64_t n = 0; n < WINDOW; n++)
                tiny_group_spawn(&group, n);
            uat_group_wait(&group);
        }
        uat_samples_add(&parts[GROUP_LOOP], uat_counter() - begin);
    }
    return (uint64_t)(batches * BATCH);
}

/* Nest `depth` spawners, then time the loop in the innermost one. Only the outer spawners are ever published, so the
 * timed spawns and joins are private. */
UAT_TASK(uint64_t, nested_loop, int64_t, depth, int64_t, batches)
{
    uint64_t right = 0;

    if (depth > 0) {
        nested_loop_task child;

        nested_loop_spawn(&child, depth - 1, batches);
        return nested_loop_join(&child);
    }
    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (uint64_t i = 0; i < BATCH; i++) {
            tiny_task child;

            tiny_spawn(&child, i);
            right += tiny_join(&child) == i + 1;
        }
        uat_samples_add(&parts[SPAWN_JOIN], uat_counter() - begin);
    }
    return right;
}

/* One parent that spawns `count` bodies of `steps`. */
UAT_TASK(uint64_t, balance, int64_t, count, int64_t, steps)
{
    uint64_t right = 0;

    for (int64_t done = 0; done < count; done += WINDOW) {
        body_task children[WINDOW];

        for (int i = 0; i < WINDOW; i++)
            body_spawn(&children[i], steps);
        for (int i = 0; i < WINDOW; i++)
            right += body_join(&children[i]);
    }
    return right;
}

static bool always(void *context, uintptr_t sp)
{
    return true;
}

/* Time push and pop of two entries. One entry is private. The other one is published, and then popped because no thief
 * stole it. */
static void time_deque(int64_t batches)
{
    struct uat_deque *deque = uat_inspect_deque();
    struct uat_deque_user own = deque->user;
    uintptr_t base = uat_probe_thread_base(0), sp = base;

    deque->user.part = always; /* these entries need no join record, because no task belongs to them */
    uat_deque_start(deque);
    uat_deque_push_gone(deque, base);
    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (int i = 0; i < BATCH; i++) {
            uat_deque_push(deque, base - UAT_PROBE_THREAD_MIN);
            uat_deque_pop(deque, &sp);
        }
        uat_samples_add(&parts[PUBLISH], uat_counter() - begin);
    }
    for (int i = 0; i < DEPTH; i++)
        uat_deque_push(deque, sp -= UAT_PROBE_THREAD_MIN);
    sp -= UAT_PROBE_THREAD_MIN;
    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter(), popped = 0;

        for (int i = 0; i < BATCH; i++) {
            uat_deque_push(deque, sp);
            __asm__ volatile(""
                             :
                             :
                             : "memory"); /* stands for a child's run: makes the compiler load the deque's fields
                                                  * again */
            popped += uat_deque_pop_private(deque, sp);
        }
        if (popped == BATCH) /* count only batches in which all entries stayed private */
            uat_samples_add(&parts[PUSH_POP], uat_counter() - begin);
    }
    while (uat_deque_size(deque) > 0)
        uat_deque_pop(deque, &sp);
    uat_deque_stop(deque);
    deque->user = own;
}

static int time_switch(int64_t batches)
{
    uintptr_t base = uat_probe_thread_base(0), sp = uat_probe_thread_make(base, UAT_PROBE_THREAD_MIN);

    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (int i = 0; i < BATCH; i++)
            uat_resume(sp);
        uat_samples_add(&parts[SWITCH], uat_counter() - begin);
    }
    return uat_probe_thread_is_whole(base, UAT_PROBE_THREAD_MIN, (uint64_t)batches * BATCH) ? 0 : -EPROTO;
}

/* Time two operations: a waiting join copies a stack to the heap, and a READ restores the stack when the join
 * resumes. */
static int time_evacuation(int64_t batches)
{
    uintptr_t base = uat_probe_thread_base(0), sp = uat_probe_thread_make(base, (size_t)stack_bytes);

    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        for (int i = 0; i < BATCH; i++) {
            int status = uat_inspect_evacuate(sp, (size_t)stack_bytes);

            if (status < 0)
                return status;
        }
        uat_samples_add(&parts[EVACUATE], uat_counter() - begin);
    }
    return uat_probe_thread_is_whole(base, (size_t)stack_bytes, 0) ? 0 : -EPROTO;
}

static int time_parts(void)
{
    int64_t batches = tasks / BATCH;
    uint64_t nested = 0, flat = 0, grouped = 0;
    int status;

    time_deque(batches);
    status = time_switch(batches);
    if (!status)
        status = time_evacuation(batches < 100 ? batches : 100);
    if (!status)
        status = nested_loop_run(&nested, DEPTH, batches);
    if (!status)
        status = flat_loop_run(&flat, batches);
    if (!status)
        status = group_loop_run(&grouped, batches);
    if (!status)
        status = uat_spawn_sizes_measure(batches);
    if (!status && (nested != (uint64_t)(batches * BATCH) || flat != nested))
        status = -EPROTO;
    if (status < 0)
        fprintf(stderr, "uat-spawn: %s\n", status == -EPROTO ? "a stack or a result was damaged" : strerror(-status));
    return status;
}

struct spread {
    double seconds, sequential; /* seconds: time of the loop; sequential: time of its bodies alone, one after another,
                                 * on one worker */
    int64_t count;
    struct uat_gathered bodies;
};

/* Time the flat loop over all workers. Collective. */
static int time_balance(struct spread *spread)
{
    int64_t count = tasks / 10 / WINDOW * WINDOW;
    struct uat_moment begin;
    uint64_t right = 0;
    int status;

    spread->count = count;
    begin = uat_moment_now();
    for (int64_t i = 0; i < count && uat_rank() == 0; i++)
        right += body(work);
    spread->sequential = uat_moment_now().seconds - begin.seconds;
    bodies_here = 0;
    status = uat_barrier();
    begin = uat_moment_now();
    if (!status)
        status = balance_run(&right, count, work);
    spread->seconds = uat_moment_now().seconds - begin.seconds;
    if (!status)
        status = uat_gather(bodies_here, &spread->bodies);
    if (!status && (right != (uint64_t)count || spread->bodies.sum != (uint64_t)count)) {
        fprintf(stderr, "uat-spawn: %llu of %lld bodies were right\n", (unsigned long long)right, (long long)count);
        status = -EPROTO;
    }
    return status;
}

static void report_spread(const struct spread *s)
{
    double speedup = s->sequential / s->seconds;

    uat_report_count("bodies", (uint64_t)s->count);
    uat_report_count("bodies_least", s->bodies.least);
    uat_report_count("bodies_most", s->bodies.most);
    uat_report_real("seconds", s->seconds);
    uat_report_real("seq_seconds", s->sequential);
    uat_report_real("speedup", speedup);
    uat_report_line("flat loop", "%lld bodies of %.2f us, spawned by one parent in a row", (long long)s->count,
                    s->sequential / (double)s->count * 1e6);
    uat_report_line("seconds", "%.6f; %.6f without the runtime: speed-up %.2f", s->seconds, s->sequential, speedup);
    uat_report_line("bodies", "%llu to %llu on a worker", (unsigned long long)s->bodies.least,
                    (unsigned long long)s->bodies.most);
}

static void report_parts(double tsc_hz)
{
    uat_samples_head("one operation");
    for (int i = 0; i < PARTS; i++) {
        uat_samples_sort(&parts[i]);
        uat_samples_report(&parts[i], tsc_hz);
    }
    uat_spawn_sizes_report(tsc_hz);
    uat_report_line("samples", "are means over batches of %d", BATCH);
}

static int open_parts(void)
{
    static const char *const names[PARTS] = {
        [PUSH_POP] = "push_pop",        [PUBLISH] = "publish_take_back", [SWITCH] = "resume_suspend",
        [EVACUATE] = "evacuate_resume", [SPAWN_JOIN] = "spawn_join",     [FLAT_LOOP] = "flat_loop",
        [GROUP_LOOP] = "group_loop",
    };
    int status = 0;

    for (int i = 0; i < PARTS && !status; i++) {
        status = uat_samples_open(&parts[i], names[i], (size_t)(tasks / BATCH));
        parts[i].divisor = BATCH;
    }
    if (status < 0)
        fprintf(stderr, "uat-spawn: no memory for %lld tasks; give a smaller --tasks\n", (long long)tasks);
    return status;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    struct spread spread = {0};
    int status = open_parts();

    if (!status)
        status = uat_size() > 1 ? time_balance(&spread) : time_parts();
    if (!status && uat_rank() == 0) {
        double tsc_hz = uat_samples_tsc_hz();

        uat_report_begin(bench, settings);
        uat_report_real("tsc_hz", tsc_hz);
        if (spread.count > 0)
            report_spread(&spread);
        else
            report_parts(tsc_hz);
        uat_report_end();
    }
    for (int i = 0; i < PARTS; i++)
        uat_samples_close(&parts[i]);
    return status;
}

static const char *refuse(void)
{
    if (stack_bytes % 16)
        return "--stack must be a multiple of 16";
    return tasks % BATCH ? "--tasks must be a multiple of 1000" : NULL;
}

static const struct uat_bench_option options[] = {
    {"--tasks", "N", "operations measured of each kind; a tenth of it bodies on several workers", &tasks, NULL, BATCH,
     TASKS_MAX},
    {"--stack", "BYTES", "stack that is evacuated, a multiple of 16", &stack_bytes, NULL, UAT_PROBE_THREAD_MIN, 65536},
    {"--work", "STEPS", "multiplications of a body on several workers", &work, NULL, 0, 1e9},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-spawn",
    .purpose =
        "One worker: each part of spawn and join by itself. Several: does one parent's flat loop spread over them?",
    .options = options,
    .refuse = refuse,
    .measure = measure,
};
