/* SPDX-License-Identifier: MIT */
/* Description: C programs with adaptive requests, generators, or cancelled groups, with one fault each; the race
 * detector reports each once. */
#include "tests/races/faults.h"

#include <stdlib.h>

#include <uat/adaptive.h>
#include <uat/generator.h>

UAT_TASK_VOID(writer, long *, p, long, v)
{
    put(p, v);
}

/* Parts of an interval are parallel, also two units that one call of uat_context_next() could give. */
static void square(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    while (uat_context_next(c, 100, &begin, &end))
        for (int64_t i = begin; i < end; i++)
            put(word + (!good && i == 7 ? 6 : i), i);
    while (uat_context_merge(c, NULL)) {
    }
}
UAT_TASK_VOID(units_root, int, cooperative)
{
    uat_adaptive_t a = {.fn = square, .mode = cooperative ? UAT_COOPERATIVE : UAT_CONCURRENT};
    uat_adaptive_run(&a, NULL, 0, 64, NULL, NULL);
    look(word + 63); /* ordered after all parts */
}
static void units(void)
{
    units_root_run(0);
}
static void asked_units(void)
{
    units_root_run(1);
}

/* A thief may take a part before the owner's first uat_context_next(). If the owner answers, it gives none before. */
static void prepare(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    if (!c->is_part)
        put(word, 1);
    while (uat_context_next(c, 1, &begin, &end))
        look(word);
}
UAT_TASK_VOID(prepared_root, int, g)
{
    uat_adaptive_t a = {.fn = prepare, .mode = g ? UAT_COOPERATIVE : UAT_CONCURRENT};
    uat_adaptive_run(&a, NULL, 0, 8, NULL, NULL);
}
static void prepared(void)
{
    prepared_root_run(good);
}

/* The owner may give parts at a poll. */
static void polls(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    if (good && !c->is_part)
        put(word, 1);
    uat_context_poll(c);
    if (!good && !c->is_part)
        put(word, 1);
    while (uat_context_next(c, 1, &begin, &end))
        look(word);
}
UAT_TASK_VOID(polled_root, int, unused)
{
    uat_adaptive_t a = {.fn = polls, .mode = UAT_COOPERATIVE};
    (void)unused;
    uat_adaptive_run(&a, NULL, 0, 8, NULL, NULL);
}
static void polled(void)
{
    polled_root_run(0);
}

/* The owner has a range checked out while it takes units. Before, at a poll, nothing was checked out. */
static void holds(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    (void)arg, (void)result;
    uat_context_poll(c);
    long *p = uat_global_checkout(word + 40, sizeof(*p), UAT_READ);
    while (uat_context_next(c, 1, &begin, &end))
        put(word + (!good && begin == 7 ? 6 : begin), *p);
    uat_global_checkin(p, sizeof(*p), UAT_READ);
}
UAT_TASK_VOID(held_root, int, mode)
{
    uat_adaptive_t a = {.fn = holds, .mode = mode};
    uat_adaptive_run(&a, NULL, 0, 32, NULL, NULL);
}
static void held(void)
{
    held_root_run(UAT_CONCURRENT); /* not divided, so without a report */
    held_root_run(UAT_COOPERATIVE);
}

/* The sum of an interval; the last part's value is used too early, or after the parts are merged. */
static void sum(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin, end;
    long total = 0, more;
    (void)arg;
    while (uat_context_next(c, 4, &begin, &end))
        for (int64_t i = begin; i < end; i++) {
            put(word + i, i);
            total += i;
        }
    if (!good && !c->is_part)
        other_look(word + 15);
    while (uat_context_merge(c, &more))
        total += more;
    if (good && !c->is_part)
        other_look(word + 15);
    *(long *)result = total;
}
UAT_TASK_VOID(merged_root, int, unused)
{
    uat_adaptive_t a = {.fn = sum, .result_size = sizeof(long)};
    long total = 0;
    (void)unused;
    uat_adaptive_run(&a, NULL, 0, 16, NULL, &total);
    if (total != 120)
        abort();
}
static void merged(void)
{
    merged_root_run(0);
}

/* The owner keeps memory of its process over its calls, but not over the end of the parts. */
static void scratch(uat_context_t *c, const void *arg, void *result)
{
    int64_t begin = 0, end;
    long *p = malloc(sizeof(*p));
    (void)arg, (void)result;
    other_put(p, 0);
    while (uat_context_next(c, 1, &begin, &end))
        other_put(p, look(p) + 1);
    put(word + 32 + (c->is_part ? begin : 0), look(p));
    if (good)
        free(p);
    while (uat_context_merge(c, NULL)) {
    }
    if (!good)
        other_look(p);
}
UAT_TASK_VOID(scratch_root, int, unused)
{
    uat_adaptive_t a = {.fn = scratch, .grain = 4};
    (void)unused;
    uat_adaptive_run(&a, NULL, 0, 8, NULL, NULL);
}
static void kept(void)
{
    scratch_root_run(0);
}

/* A generator is a part of the task that uses it, with frames of its own. Its stack has no room for a report. */
UAT_GENERATOR_SIZED(512, long, numbers, long *, p, long, n)
{
    long local[4] = {0}; /* in the frame of the generator */
    for (long i = 0; i < n; i++) {
        put(&local[i % 4], i);
        other_put(p, look(&local[i % 4]));
        uat_generator_yield(i);
    }
}
UAT_TASK_VOID(generator_root, int, g)
{
    numbers_generator all;
    writer_task a;
    long v;
    numbers_begin(&all, word + g, 9);
    uat_generator_next(&all, &v);
    writer_spawn(&a, word, 1); /* the generator goes with the task */
    while (uat_generator_next(&all, &v)) {
    }
    writer_join(&a);
}
static void generator(void)
{
    generator_root_run(good);
}

/* After uat_group_cancel() the wait still orders the tasks that have run. */
UAT_TASK_VOID(cancels, uat_cancel_t, all)
{
    put(word, 1);
    uat_group_cancel(all);
}
UAT_TASK_VOID(cancelled_root, int, g)
{
    uat_group_t group;
    uat_group_begin(&group);
    cancels_group_spawn(&group, uat_group_make_cancellable(&group));
    writer_group_spawn(&group, word, 3); /* does not run */
    if (!g)
        other_put(word, 2);
    uat_group_wait(&group);
    if (g)
        other_put(word, 2);
}
static void cancelled(void)
{
    cancelled_root_run(good);
}

static const struct fault table[] = {
    {"units", units, "RACE", "put", "put"},
    {"asked_units", asked_units, "RACE", "put", "put"},
    {"prepared", prepared, "RACE", "look", "put"},
    {"polled", polled, "RACE", "put", "look"},
    {"held", held, "RACE", "put", "put"},
    {"merged", merged, "RACE", "other_look", "put"},
    {"kept", kept, "PRIVATE", "other_look", "other_put"},
    {"generator", generator, "RACE", "other_put", "put"},
    {"cancelled", cancelled, "RACE", "other_put", "put"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
