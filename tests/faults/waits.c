/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of checkpoints. Tasks wait for each kind of object of uat/sync.h, for their turn,
 * and for the end of their migration to another worker. Some use generators, reducers and cancelled groups. Some ask
 * for a checkpoint. Every answer depends only on the arguments, even if the job was restarted many times.
 *
 * usage: waits KIND SEED ROUNDS ASK (one in ASK steps asks for a checkpoint; 0: none does)
 * FORGET in the environment: after a restart main() does not make the objects of kind "main" again. FORGET_CALL:
 * after a restart the program does not call uat_checkpoint_register(); FORGET_CALL=always: nor before one. Each process
 * counts its steps in its own memory, and prints the number on standard error.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/waits.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/channel.h"
#include "uat/checkpoint.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

struct result {
    uint64_t sum, errors;
};

struct arg {
    uint64_t seed, ask, kind;
    struct work outside; /* objects that main() has made */
};

struct member {
    struct work work;
    uint64_t kind;
};

static void member(void *arg, void *result)
{
    struct member m = *(struct member *)arg;
    kinds[m.kind].run(&m.work);
    struct result r = {m.work.sum, m.work.errors};
    memcpy(result, &r, sizeof(r));
}

/* A group's children have no results. */
static void member_of_group(void *arg, void *unused)
{
    struct member m = *(struct member *)arg;
    (void)unused;
    kinds[m.kind].run(&m.work);
}

static bool is(const struct arg *a, const char *name)
{
    return strcmp(kinds[a->kind].name, name) == 0;
}

static size_t size_of(uint64_t i)
{
    return i % 2 ? sizeof(struct large) : sizeof(uint64_t);
}

/* Make the objects that all members share. */
static void make(const struct arg *a, struct work *w)
{
    *w = (struct work){.seed = a->seed, .ask = a->ask};
    uint64_t nothing = 0;
    bool cells = !is(a, "select");
    for (uint64_t i = 0; i < OBJECTS; i++)
        w->channel[i] = uat_channel_create(sizeof(uint64_t), cells ? 1 : i == 3 ? TASKS * STEPS : i % 2);
    if (cells)
        uat_channel_send(w->channel[0], &nothing);
    w->mutex = is(a, "biased") ? uat_mutex_create_biased() : uat_mutex_create();
    w->shared = uat_shared_mutex_create();
    w->condition[0] = uat_condition_create();
    w->condition[1] = uat_condition_create();
    w->semaphore = uat_semaphore_create(LIMIT);
    w->latch = uat_latch_create(TASKS);
    w->barrier = uat_task_barrier_create(TASKS);
}

/* Destroy the shared objects. Returns the sum of the numbers in the first channel and in the named channels. */
static uint64_t unmake(const struct arg *a, struct work *w)
{
    uint64_t value = 0;
    if (!is(a, "select"))
        uat_channel_receive(w->channel[0], &value);
    for (int i = 0; i < OBJECTS; i++)
        uat_channel_destroy(w->channel[i]);
    uat_mutex_destroy(w->mutex);
    uat_shared_mutex_destroy(w->shared);
    uat_condition_destroy(w->condition[0]);
    uat_condition_destroy(w->condition[1]);
    uat_semaphore_destroy(w->semaphore);
    uat_latch_destroy(w->latch);
    uat_task_barrier_destroy(w->barrier);
    for (unsigned i = 0; is(a, "named") && i < NAMES; i++) {
        uint64_t more = 0;
        uat_channel_try_receive(named_channel(w, i), &more);
        value += more;
    }
    return value;
}

/* Set the handles that differ between members. */
static void chain(const struct arg *a, struct work *w, uint64_t place)
{
    w->place = place;
    if (is(a, "future")) {
        memcpy(w->above, w->own, sizeof(w->own));
        for (int i = 0; i < STEPS; i++)
            w->own[i] = uat_future_create(size_of(place));
    }
    if (is(a, "channel")) {
        w->channel[0] = w->channel[1];
        w->channel[1] = uat_channel_create(size_of(a->seed), place % 3);
    }
}

static void unchain(const struct arg *a, const struct work *w)
{
    for (int i = 0; is(a, "future") && i < STEPS; i++)
        uat_future_destroy(w->own[i]);
    if (is(a, "channel"))
        uat_channel_destroy(w->channel[1]);
}

static void by_group(struct member *m)
{
    uat_group_t group;
    uat_group_begin(&group);
    m->work.cancel = uat_group_make_cancellable(&group);
    for (m->work.place = 0; m->work.place < TASKS; m->work.place++)
        uat_group_spawn(&group, member_of_group, m, sizeof(*m));
    uat_group_wait(&group);
}

static void round_of(void *arg, void *result)
{
    const struct arg a = *(struct arg *)arg;
    struct work shared = a.outside;
    struct member m[TASKS];
    struct result sum = {0, 0}, one[TASKS];
    uat_task_t task[TASKS];
    if (!is(&a, "main"))
        make(&a, &shared);
    struct work last = shared;
    if (is(&a, "cancel")) {
        m[0] = (struct member){shared, a.kind};
        by_group(&m[0]);
    }
    for (uint64_t i = 0; !is(&a, "cancel") && i < TASKS; i++) {
        chain(&a, &last, i);
        m[i] = (struct member){last, a.kind};
        uat_spawn(&task[i], member, &m[i], sizeof(m[i]), &one[i], sizeof(one[i]));
    }
    for (uint64_t i = TASKS; !is(&a, "cancel") && i-- > 0;) {
        uat_join(&task[i]);
        sum.sum += one[i].sum;
        sum.errors += one[i].errors;
    }
    for (uint64_t i = 0; !is(&a, "cancel") && i < TASKS; i++)
        unchain(&a, &m[i].work);
    sum.sum += is(&a, "main") ? 0 : unmake(&a, &shared);
    if (is(&a, "migrate")) {
        sum.errors += total_of_round() != sum.sum;
    }
    memcpy(result, &sum, sizeof(sum));
}

struct root {
    struct arg arg;
    uint64_t rounds;
};

static void root(void *arg, void *result)
{
    struct root r = *(struct root *)arg;
    struct result sum = {0, 0}, one;
    for (uint64_t i = 0; i < r.rounds; i++) {
        r.arg.seed = mix(r.arg.seed);
        round_of(&r.arg, &one);
        sum.sum = mix(sum.sum + one.sum);
        sum.errors += one.errors;
    }
    memcpy(result, &sum, sizeof(sum));
}

static size_t save_steps(const void **bytes)
{
    *bytes = &steps;
    return sizeof(steps);
}

static void restore_steps(int rank, const void *bytes, size_t size)
{
    uint64_t saved = 0;
    memcpy(&saved, bytes, size);
    steps += saved;
    if (rank % uat_size() != uat_rank())
        abort();
}

int main(int argc, char **argv)
{
    uint64_t kind = 0;
    if (argc != 5 || uat_init() < 0)
        return 2;
    const char *forget = getenv("FORGET_CALL");
    bool calls = !forget || (strcmp(forget, "always") != 0 && !uat_restarted());
    if (calls && uat_checkpoint_register(save_steps, restore_steps) < 0)
        return 1;
    while (kind < kind_count && strcmp(kinds[kind].name, argv[1]) != 0)
        kind++;
    if (kind == kind_count)
        return 2;
    struct root arg = {.arg = {.seed = strtoull(argv[2], NULL, 10), .ask = strtoull(argv[4], NULL, 10), .kind = kind},
                       .rounds = strtoull(argv[3], NULL, 10)};
    bool makes = is(&arg.arg, "main") && uat_rank() == 0 && !(getenv("FORGET") && uat_restarted());
    if (makes)
        make(&arg.arg, &arg.arg.outside);
    struct result sum;
    if (uat_run(root, &arg, sizeof(arg), &sum, sizeof(sum)) < 0)
        return 1;
    if (makes)
        sum.sum = mix(sum.sum + unmake(&arg.arg, &arg.arg.outside));
    fprintf(stderr, "steps %llu\n", (unsigned long long)steps);
    if (uat_rank() == 0) {
        printf("value %016llx errors %llu\n", (unsigned long long)sum.sum, (unsigned long long)sum.errors);
        fprintf(stderr, "restarted %d\n", uat_restarted());
    }
    return uat_finalize() < 0;
}
