/* SPDX-License-Identifier: MIT */
/*
 * Description: ranges that are checked out keep what was written to them across every call of uat/sync.h that does not
 * wait, and what such a call acquires can be read meanwhile. Tasks own cells of a few bytes to some KiB, which are
 * neighbours in an array and in objects. Each task checks its cells out and in at random, with calls, prefetches and
 * transfers in between. Other cells are shared: they hold the number of writes to them, and a task changes them only
 * after a try_ call has given it their guard.
 *
 * usage: open ROUNDS SEED    100 steps of each task per round
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/global.h"
#include "uat/sync.h"

enum {
    TASKS = 4,
    RANKS = 8,   /* most ranks */
    OWN = 24,    /* cells of a task in the array */
    OBJECTS = 2, /* objects of each task on each worker */
    ZONES = 3,   /* shared sets of cells, by kind of guard */
    SHARED = 4,  /* shared cells of each guard */
    FRESH = 12,  /* objects of sync.h that can be used only once */
    OPEN = 3,    /* ranges that a task keeps checked out; the cache must hold one more */
    CELL_MAX = 3000,
    CELLS = TASKS * (OWN + OBJECTS * RANKS) + ZONES * SHARED,
    STRETCH = (TASKS * OWN + ZONES * SHARED) * CELL_MAX,
    YIELD_EVERY = 50
};

struct cell {
    unsigned char *at;
    uint32_t bytes;
    int owner; /* a task, or TASKS + the number of a zone */
};

/* The objects that one task uses on one worker. No other task uses them, so nothing here waits. */
struct set {
    uat_mutex_t mutex;
    uat_condition_t condition;
    uat_semaphore_t semaphore; /* 2 units */
    uat_latch_t opened, latch;
    uat_task_barrier_t group; /* 1 member */
    uat_channel_t channel, full, shut;
    uat_future_t set, unset;
    uat_future_t future[FRESH];
    uat_latch_t last[FRESH];
    uat_channel_t closing[FRESH];
    uat_semaphore_t doomed[FRESH];
};

/* What each worker publishes to the others. */
struct card {
    struct set set[TASKS];
    unsigned char *object[TASKS][OBJECTS];
    uat_mutex_t mutex; /* guards of the zones */
    uat_semaphore_t semaphore;
    uat_channel_t channel;
};

static struct card card[RANKS];
static struct cell cells[CELLS];
static int cell_count;
static uint64_t seed, steps;
static int fresh; /* number of the single-use object that the next call uses */

static uint64_t wrong_at(const char *what, uint64_t task, const struct cell *c, uint64_t wrong)
{
    if (wrong)
        fprintf(stderr, "open: %s: %lu bytes are wrong of the %u at %p of task %lu, seed %lu\n", what,
                (unsigned long)wrong, c->bytes, (void *)c->at, (unsigned long)task, (unsigned long)seed);
    return wrong;
}

static unsigned char value(const struct cell *c, uint32_t version, uint32_t i)
{
    return (unsigned char)(mix((uintptr_t)c->at + (uint64_t)version * 7919) >> 8 * (i % 8));
}

static void fill(const struct cell *c, unsigned char *q, uint32_t version)
{
    for (uint32_t i = 0; i < c->bytes; i++)
        q[i] = value(c, version, i);
}

static uint64_t compare(const struct cell *c, const unsigned char *q, uint32_t version)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < c->bytes; i++)
        wrong += q[i] != value(c, version, i);
    return wrong;
}

struct range {
    int cell; /* -1: none */
    enum uat_access access;
    int late; /* it is written only before it is checked in */
    unsigned char *place;
};

struct walk {
    uint64_t task, random, calls, covered, wrong; /* covered: calls made while a range was checked out for writing */
    uint32_t version[CELLS];                      /* versions of the task's cells */
    uint64_t turns[ZONES];                        /* number of this task's writes to each zone's cells */
    int used[RANKS][4];                           /* how many of FRESH objects each call has used up */
    struct range open[OPEN];
};

/* Independent of other tasks: a seed always gives the same walk. */
static uint64_t draw(struct walk *w, uint64_t n)
{
    return (w->random = mix(w->random + 0x9e3779b97f4a7c15u)) % n;
}

/* The calls. Each returns 0 if the call behaved correctly. */
static int set_future(struct set *s)
{
    uint64_t v = 7, got = 0;
    uat_future_set(s->future[fresh], &v);
    uat_future_get(s->future[fresh], &got);
    uat_future_destroy(s->future[fresh]);
    return got != 7;
}

static int open_latch(struct set *s)
{
    uat_latch_count_down(s->last[fresh], 1);
    uat_latch_wait(s->last[fresh]);
    return 0;
}

static int close_channel(struct set *s)
{
    uint64_t v = 3;
    int bad = uat_channel_send(s->closing[fresh], &v);
    uat_channel_close(s->closing[fresh]);
    bad |= uat_channel_send(s->closing[fresh], &v) != -EPIPE;
    bad |= uat_channel_receive(s->closing[fresh], &v) || v != 3;
    return bad | (uat_channel_receive(s->closing[fresh], &v) != -EPIPE);
}

static int destroy(struct set *s)
{
    uat_semaphore_destroy(s->doomed[fresh]);
    return 0;
}

static int get_future(struct set *s)
{
    uint64_t got = 0;
    uat_future_get(s->set, &got);
    return got != 5;
}

static int try_future(struct set *s)
{
    uint64_t got = 0;
    return uat_future_try_get(s->set, &got) || got != 5;
}

static int try_unset(struct set *s)
{
    uint64_t got;
    return uat_future_try_get(s->unset, &got) != -EAGAIN;
}

static int lock(struct set *s)
{
    uat_mutex_lock(s->mutex);
    int status = uat_mutex_try_lock(s->mutex);
    uat_mutex_unlock(s->mutex);
    return status != -EAGAIN;
}

static int try_lock(struct set *s)
{
    int status = uat_mutex_try_lock(s->mutex);
    if (!status)
        uat_mutex_unlock(s->mutex);
    return status;
}

static int signal(struct set *s)
{
    uat_condition_signal(s->condition);
    return 0;
}

static int broadcast(struct set *s)
{
    uat_condition_broadcast(s->condition);
    return 0;
}

static int take_units(struct set *s)
{
    uat_semaphore_acquire(s->semaphore);
    int second = uat_semaphore_try_acquire(s->semaphore), third = uat_semaphore_try_acquire(s->semaphore);
    uat_semaphore_release(s->semaphore, 2);
    return second || third != -EAGAIN;
}

static int release_none(struct set *s)
{
    uat_semaphore_release(s->semaphore, 0);
    return 0;
}

static int count_down(struct set *s)
{
    uat_latch_count_down(s->latch, 1);
    return 0;
}

static int pass_latch(struct set *s)
{
    uat_latch_wait(s->opened);
    return 0;
}

static int meet_alone(struct set *s)
{
    return uat_task_barrier_wait(s->group) != 1;
}

static int send_and_receive(struct set *s)
{
    uint64_t v = 11, got = 0;
    return uat_channel_send(s->channel, &v) || uat_channel_receive(s->channel, &got) || got != 11;
}

static int try_channel(struct set *s)
{
    uint64_t v = 12, got = 0;
    int bad = uat_channel_try_receive(s->channel, &got) != -EAGAIN || uat_channel_try_send(s->full, &v) != -EAGAIN;
    return bad || uat_channel_try_send(s->channel, &v) || uat_channel_try_receive(s->channel, &got) || got != 12;
}

static int try_shut(struct set *s)
{
    uint64_t v = 0;
    uat_channel_close(s->shut);
    return uat_channel_try_send(s->shut, &v) != -EPIPE || uat_channel_try_receive(s->shut, &v) != -EPIPE;
}

static int choose(struct set *s)
{
    uint64_t v = 13, got = 0;
    uat_case_t sends[] = {{.channel = s->full, .sends = 1, .value = &v},
                          {.channel = s->channel, .sends = 1, .value = &v}},
               receives[] = {{.channel = s->channel, .value = &got}};
    return uat_select(sends, 2) != 1 || uat_select_try(receives, 1) != 0 || got != 13 ||
           uat_select_try(receives, 1) != -EAGAIN;
}

static int create(struct set *s)
{
    (void)s;
    uat_mutex_t mutex = uat_mutex_create();
    uat_condition_t condition = uat_condition_create();
    uat_task_barrier_t group = uat_task_barrier_create(2);
    uat_latch_t latch = uat_latch_create(2);
    uat_channel_t channel = uat_channel_create(8, 2);
    uat_mutex_destroy(mutex);
    uat_condition_destroy(condition);
    uat_task_barrier_destroy(group);
    uat_latch_destroy(latch);
    uat_channel_destroy(channel);
    return 0;
}

static const struct {
    const char *name;
    int (*call)(struct set *);
    int uses_up;
} calls[] = {{"uat_future_set", set_future, 1},
             {"uat_latch_count_down, last", open_latch, 1},
             {"uat_channel_close", close_channel, 1},
             {"uat_semaphore_destroy", destroy, 1},
             {"uat_future_get", get_future, 0},
             {"uat_future_try_get", try_future, 0},
             {"uat_future_try_get, not set", try_unset, 0},
             {"uat_mutex_lock", lock, 0},
             {"uat_mutex_try_lock", try_lock, 0},
             {"uat_condition_signal", signal, 0},
             {"uat_condition_broadcast", broadcast, 0},
             {"uat_semaphore_acquire", take_units, 0},
             {"uat_semaphore_release", release_none, 0},
             {"uat_latch_count_down", count_down, 0},
             {"uat_latch_wait", pass_latch, 0},
             {"uat_task_barrier_wait", meet_alone, 0},
             {"uat_channel_send", send_and_receive, 0},
             {"uat_channel_try_send", try_channel, 0},
             {"uat_channel_try_send, closed", try_shut, 0},
             {"uat_select", choose, 0},
             {"create and destroy", create, 0}};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

/* The next call in turn, on an object of any worker. */
static void call(struct walk *w)
{
    size_t which = w->calls++ % CALLS;
    int rank = (int)draw(w, (uint64_t)uat_size());
    if (calls[which].uses_up && (fresh = w->used[rank][which]++) >= FRESH)
        return;
    for (int i = 0; i < OPEN; i++)
        if (w->open[i].cell >= 0 && w->open[i].access & UAT_WRITE)
            w->covered |= UINT64_C(1) << which;
    if (!calls[which].call(&card[rank].set[w->task]))
        return;
    fprintf(stderr, "open: %s of rank %d: a wrong result, seed %lu\n", calls[which].name, rank, (unsigned long)seed);
    w->wrong++;
}

static int is_open(const struct walk *w, int cell)
{
    for (int i = 0; i < OPEN; i++)
        if (w->open[i].cell == cell)
            return 1;
    return 0;
}

/* A cell of this task that is not checked out. */
static int choose_cell(struct walk *w)
{
    for (;;) {
        int i = (int)draw(w, (uint64_t)cell_count);
        if (cells[i].owner == (int)w->task && !is_open(w, i))
            return i;
    }
}

static void begin_access(struct walk *w, struct range *r, int cell)
{
    const struct cell *c = &cells[cell];
    *r = (struct range){cell, (enum uat_access)(1 + draw(w, 3)), (int)draw(w, 2), NULL};
    r->place = uat_global_checkout(c->at, c->bytes, r->access);
    if (r->access != UAT_WRITE)
        w->wrong += wrong_at("checked out", w->task, c, compare(c, r->place, w->version[cell]));
    if (r->access != UAT_READ && !r->late)
        fill(c, r->place, w->version[cell] + 1);
}

static void end_access(struct walk *w, struct range *r)
{
    const struct cell *c = &cells[r->cell];
    uint32_t version = w->version[r->cell], writes = r->access != UAT_READ;
    if (r->access != UAT_WRITE || !r->late) /* the old contents are still there, whatever happened meanwhile */
        w->wrong += wrong_at("still checked out", w->task, c, compare(c, r->place, version + (writes && !r->late)));
    if (writes && r->late)
        fill(c, r->place, version + 1);
    uat_global_checkin(c->at, c->bytes, r->access);
    w->version[r->cell] += writes;
    r->cell = -1;
}

static void access_at_once(struct walk *w)
{
    struct range r;
    int cell = choose_cell(w);
    if (draw(w, 3) == 0)
        uat_global_prefetch(cells[cell].at, cells[cell].bytes);
    if (draw(w, 3) == 0)
        call(w);
    begin_access(w, &r, cell);
    end_access(w, &r);
}

/* A transfer of a cell that is not checked out, with a call while the transfer is in flight. */
static void transfer(struct walk *w)
{
    unsigned char local[CELL_MAX];
    uat_global_transfer_t t;
    int cell = choose_cell(w), split = (int)draw(w, 2);
    const struct cell *c = &cells[cell];
    if (draw(w, 2) == 0) {
        fill(c, local, ++w->version[cell]);
        if (!split)
            uat_global_put(c->at, local, c->bytes);
        else
            uat_global_put_begin(&t, c->at, local, c->bytes);
    } else if (split)
        uat_global_get_begin(&t, local, c->at, c->bytes);
    else
        uat_global_get(local, c->at, c->bytes);
    call(w);
    if (split)
        uat_global_transfer_wait(&t);
    w->wrong += wrong_at("transferred", w->task, c, compare(c, local, w->version[cell]));
}

/* Try to get the guard of a zone, while ranges are checked out, and change the zone's cells. */
static int try_guard(int zone)
{
    uint64_t token;
    return zone == 0   ? !uat_mutex_try_lock(card[0].mutex)
           : zone == 1 ? !uat_semaphore_try_acquire(card[uat_size() - 1].semaphore)
                       : !uat_channel_try_receive(card[uat_size() / 2].channel, &token);
}

static void leave_guard(int zone)
{
    uint64_t token = 1;
    if (zone == 0)
        uat_mutex_unlock(card[0].mutex);
    else if (zone == 1)
        uat_semaphore_release(card[uat_size() - 1].semaphore, 1);
    else
        uat_channel_send(card[uat_size() / 2].channel, &token);
}

static void take_turn(struct walk *w)
{
    int zone = (int)draw(w, ZONES);
    uint64_t turn = 0, seen;
    if (!try_guard(zone))
        return;
    for (int i = 0, n = 0; i < cell_count; i++) {
        const struct cell *c = &cells[i];
        if (c->owner != TASKS + zone)
            continue;
        void *q = uat_global_checkout(c->at, c->bytes, UAT_READ_WRITE);
        memcpy(&seen, q, sizeof(seen));
        turn = n++ == 0 ? seen : turn;
        w->wrong += wrong_at("shared", w->task, c, (seen != turn) * sizeof(seen));
        seen++;
        memcpy(q, &seen, sizeof(seen));
        uat_global_checkin(c->at, c->bytes, UAT_READ_WRITE);
    }
    w->turns[zone]++;
    leave_guard(zone);
}

static void close_all(struct walk *w)
{
    for (int i = 0; i < OPEN; i++)
        if (w->open[i].cell >= 0)
            end_access(w, &w->open[i]);
}

static void step(struct walk *w)
{
    struct range *r = &w->open[draw(w, OPEN)];
    switch (draw(w, 6)) {
    case 0:
    case 1:
        if (r->cell < 0)
            begin_access(w, r, choose_cell(w));
        else
            end_access(w, r);
        break;
    case 2:
        call(w);
        break;
    case 3:
        access_at_once(w);
        break;
    case 4:
        transfer(w);
        break;
    default:
        take_turn(w);
    }
}

struct outcome {
    uint64_t wrong, covered, turns[ZONES];
    uint32_t version[CELLS];
};

static void walk(void *arg, void *result)
{
    struct walk w = {.task = *(uint64_t *)arg};
    struct outcome *o = result;
    w.random = mix(seed * TASKS + w.task + 1);
    for (int i = 0; i < OPEN; i++)
        w.open[i].cell = -1;
    for (int i = 0; i < cell_count; i++)
        if (cells[i].owner == (int)w.task) {
            fill(&cells[i], uat_global_checkout(cells[i].at, cells[i].bytes, UAT_WRITE), 0);
            uat_global_checkin(cells[i].at, cells[i].bytes, UAT_WRITE);
        }
    for (uint64_t i = 0; i < steps && !w.wrong; i++) {
        step(&w);
        if (i % YIELD_EVERY == YIELD_EVERY - 1) {
            close_all(&w);
            uat_yield();
        }
    }
    close_all(&w);
    o->wrong = w.wrong;
    o->covered = w.covered;
    memcpy(o->turns, w.turns, sizeof(w.turns));
    memcpy(o->version, w.version, sizeof(w.version));
}

/* The root checks all cells once the tasks have ended. */
static void root(void *arg, void *result)
{
    uat_task_t t[TASKS];
    struct outcome o[TASKS];
    uint64_t wrong = 0, covered = 0, turns[ZONES] = {0}, seen;
    (void)arg;
    for (uint64_t i = 0; i < TASKS; i++)
        uat_spawn(&t[i], walk, &i, sizeof(i), &o[i], sizeof(o[i]));
    for (int i = TASKS - 1; i >= 0; i--) {
        uat_join(&t[i]);
        wrong += o[i].wrong;
        covered |= o[i].covered;
        for (int zone = 0; zone < ZONES; zone++)
            turns[zone] += o[i].turns[zone];
    }
    for (int i = 0; i < cell_count && !wrong; i++) {
        const struct cell *c = &cells[i];
        const unsigned char *q = uat_global_checkout(c->at, c->bytes, UAT_READ);
        if (c->owner < TASKS)
            wrong += wrong_at("at the end", (uint64_t)c->owner, c, compare(c, q, o[c->owner].version[i]));
        else {
            memcpy(&seen, q, sizeof(seen));
            wrong += wrong_at("at the end, shared", 0, c, (seen != turns[c->owner - TASKS]) * sizeof(seen));
        }
        uat_global_checkin(c->at, c->bytes, UAT_READ);
    }
    for (int i = 0; i < CALLS && !wrong; i++)
        if (!(covered >> i & 1))
            wrong +=
                (uint64_t)fprintf(stderr, "open: %s was not called with a range open for writing\n", calls[i].name);
    memcpy(result, &wrong, sizeof(wrong));
}

static void make_set(struct set *s)
{
    *s = (struct set){.mutex = uat_mutex_create(),
                      .condition = uat_condition_create(),
                      .semaphore = uat_semaphore_create(2),
                      .opened = uat_latch_create(0),
                      .latch = uat_latch_create(UINT64_C(1) << 60),
                      .group = uat_task_barrier_create(1),
                      .channel = uat_channel_create(8, 3),
                      .full = uat_channel_create(8, 0),
                      .shut = uat_channel_create(8, 1),
                      .set = uat_future_create(8),
                      .unset = uat_future_create(8)};
    for (int i = 0; i < FRESH; i++) {
        s->future[i] = uat_future_create(8);
        s->last[i] = uat_latch_create(1);
        s->closing[i] = uat_channel_create(8, 1);
        s->doomed[i] = uat_semaphore_create(1);
    }
}

/* The part of the preparation that needs a task. */
static void prepare(void *arg, void *result)
{
    uint64_t v = 5;
    (void)arg;
    (void)result;
    for (int rank = 0; rank < uat_size(); rank++)
        for (int i = 0; i < TASKS; i++)
            uat_future_set(card[rank].set[i].set, &v);
    uat_channel_send(card[uat_size() / 2].channel, &v);
}

/* Each worker creates its objects, and publishes them to the others. */
static int exchange(void)
{
    size_t room = (sizeof(struct card) + UAT_GLOBAL_BLOCK - 1) / UAT_GLOBAL_BLOCK * UAT_GLOBAL_BLOCK;
    struct card *all = uat_global_alloc((size_t)uat_size() * room, UAT_CYCLIC, room), *mine = &card[uat_rank()];
    if (!all)
        return 1;
    for (int i = 0; i < TASKS; i++) {
        make_set(&mine->set[i]);
        for (int k = 0; k < OBJECTS; k++)
            mine->object[i][k] = uat_global_object_alloc(40);
    }
    mine->mutex = uat_mutex_create();
    mine->semaphore = uat_semaphore_create(1);
    mine->channel = uat_channel_create(8, 1);
    uat_global_put((char *)all + (size_t)uat_rank() * room, mine, sizeof(*mine));
    if (uat_barrier())
        return 1;
    for (int rank = 0; rank < uat_size(); rank++)
        uat_global_get(&card[rank], (char *)all + (size_t)rank * room, sizeof(*mine));
    return uat_barrier();
}

/* Lay out the cells one after the other in the array, in an order that depends on the seed; then in objects. Same on
 * all workers. */
static void lay_out(unsigned char *array)
{
    size_t at = seed * 977 % 4096;
    int own[TASKS] = {0}, shared = 0;
    cell_count = 0;
    for (uint64_t i = 0; cell_count < TASKS * OWN + ZONES * SHARED; i++) {
        uint64_t r = mix(seed * 100003 + i), owner = r % (TASKS + 1);
        uint32_t bytes = (uint32_t)(8 + (r >> 8) % (r >> 32 & 1 ? 60 : CELL_MAX - 8));
        if (owner < TASKS ? own[owner] == OWN : shared == ZONES * SHARED)
            continue;
        int owns = owner < TASKS ? (own[owner]++, (int)owner) : TASKS + shared++ % ZONES;
        cells[cell_count++] = (struct cell){array + at, bytes, owns};
        at += bytes;
    }
    for (int rank = 0; rank < uat_size(); rank++)
        for (int i = 0; i < TASKS * OBJECTS; i++)
            cells[cell_count++] = (struct cell){card[rank].object[i % TASKS][i / TASKS], 40, i % TASKS};
}

int main(int argc, char **argv)
{
    uint64_t wrong = 0;
    steps = 100 * (argc > 1 ? strtoul(argv[1], NULL, 10) : 10);
    seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    if (uat_init())
        return 1;
    unsigned char *array = uat_global_alloc(STRETCH + UAT_GLOBAL_BLOCK, UAT_CYCLIC, 0);
    if (!array || uat_size() > RANKS || exchange())
        return 1;
    lay_out(array);
    if (uat_run(prepare, NULL, 0, NULL, 0) || uat_run(root, NULL, 0, &wrong, sizeof(wrong)))
        return 1;
    return uat_finalize() != 0 || wrong != 0;
}
