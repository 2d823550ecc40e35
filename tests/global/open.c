/* SPDX-License-Identifier: MIT */
/*
 * Description: a task keeps ranges checked out during calls of uat/sync.h that do not wait. The ranges keep what was
 * written to them. The task can read what these calls acquire. Tasks own cells of 8 to 3000 bytes. The cells are
 * adjacent in an array and in objects. Each task checks its cells out and in at random, and makes calls, prefetches and
 * transfers while they are open. Other cells are shared. Each shared cell holds the number of writes to it. A task
 * changes shared cells only after a try_ call has given it their guard.
 *
 * usage: open ROUNDS SEED (100 steps per task and round)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/global/open.h"
#include "tests/mix.h"
#include "uat.h"
#include "uat/channel.h"
#include "uat/global.h"
#include "uat/object.h"
#include "uat/semaphore.h"
#include "uat/transfer.h"

enum { OPEN = 3 /* ranges that a task may keep checked out; the cache has room for one more */, YIELD_EVERY = 50 };

/* The objects that each worker publishes to the others. */
struct card {
    struct set set[TASKS];
    unsigned char *object[TASKS][OBJECTS];
    uat_mutex_t mutex; /* the guards of the zones */
    uat_semaphore_t semaphore;
    uat_channel_t channel;
};

static struct card card[RANKS];
uint64_t seed;
static uint64_t steps;

struct range {
    int cell; /* the cell's number; -1: none */
    enum uat_access access;
    int late; /* the bytes are written only just before the checkin */
    unsigned char *place;
};

struct walk {
    uint64_t task, random, wrong;
    uint64_t calls, covered;  /* covered: calls made while a range was checked out for writing */
    uint32_t version[CELLS];  /* current versions of the task's cells */
    uint64_t turns[ZONES];    /* number of this task's writes to each zone's cells */
    int used[RANKS][USED_UP]; /* number of FRESH objects that each call has used up */
    struct range open[OPEN];
};

/* A random number of this task. The number does not depend on other tasks, so a seed always gives the same walk. */
static uint64_t draw(struct walk *w, uint64_t n)
{
    return (w->random = mix(w->random + 0x9e3779b97f4a7c15u)) % n;
}

/* Make the next call in turn, on an object of any worker. */
static void call(struct walk *w)
{
    int which = (int)(w->calls++ % CALLS), rank = (int)draw(w, (uint64_t)uat_size());
    int fresh = which < USED_UP ? w->used[rank][which]++ : 0;
    if (fresh >= FRESH)
        return;
    for (int i = 0; i < OPEN; i++)
        if (w->open[i].cell >= 0 && w->open[i].access & UAT_WRITE)
            w->covered |= UINT64_C(1) << which;
    if (!call_one(which, &card[rank].set[w->task], fresh))
        return;
    fprintf(stderr, "open: case %d of open_calls.c, rank %d: a wrong result, seed %lu\n", which, rank,
            (unsigned long)seed);
    w->wrong++;
}

static int is_open(const struct walk *w, int cell)
{
    for (int i = 0; i < OPEN; i++)
        if (w->open[i].cell == cell)
            return 1;
    return 0;
}

/* Returns a random cell of this task that is not checked out. */
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
        w->wrong += wrong_bytes("checked out", w->task, c, r->place, w->version[cell]);
    if (r->access != UAT_READ && !r->late)
        fill(c, r->place, w->version[cell] + 1);
}

static void end_access(struct walk *w, struct range *r)
{
    const struct cell *c = &cells[r->cell];
    uint32_t version = w->version[r->cell], writes = r->access != UAT_READ;
    if (r->access != UAT_WRITE || !r->late) /* the old contents must still be in the range */
        w->wrong += wrong_bytes("still checked out", w->task, c, r->place, version + (writes && !r->late));
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

/* A transfer of a cell that is not checked out, with a call made while the transfer is in flight. */
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
    w->wrong += wrong_bytes("transferred", w->task, c, local, w->version[cell]);
}

/* Try to get a zone's guard while ranges are checked out. Returns whether this task has it now. With the guard,
 * take_turn() changes the zone's cells. */
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
        w->wrong += tell_wrong("shared", w->task, c, (seen != turn) * sizeof(seen));
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

/* The root. It checks all cells after the tasks have ended. */
static void root(void *arg, void *result)
{
    uat_task_t t[TASKS];
    struct outcome o[TASKS];
    uint64_t wrong = 0, covered = 0, turns[ZONES] = {0}, seen;
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
            wrong += wrong_bytes("at the end", (uint64_t)c->owner, c, q, o[c->owner].version[i]);
        else {
            memcpy(&seen, q, sizeof(seen));
            wrong += tell_wrong("at the end, shared", 0, c, (seen != turns[c->owner - TASKS]) * sizeof(seen));
        }
        uat_global_checkin(c->at, c->bytes, UAT_READ);
    }
    for (int i = 0; i < CALLS && !wrong; i++)
        if (!(covered >> i & 1))
            wrong += (uint64_t)fprintf(stderr, "open: case %d was not called with a range open for writing\n", i);
    memcpy(result, &wrong, sizeof(wrong));
}

/* The part of the preparation that needs a task. */
static void prepare(void *arg, void *result)
{
    uint64_t token = 1;
    for (int rank = 0; rank < uat_size(); rank++)
        for (int i = 0; i < TASKS; i++)
            prepare_set(&card[rank].set[i]);
    uat_channel_send(card[uat_size() / 2].channel, &token);
}

/* Each worker creates its objects and publishes them to the other workers. */
static int exchange(void)
{
    size_t room = (sizeof(struct card) + UAT_GLOBAL_BLOCK - 1) / UAT_GLOBAL_BLOCK * UAT_GLOBAL_BLOCK;
    struct card *all = uat_global_alloc((size_t)uat_size() * room, UAT_CYCLIC, room), *mine = &card[uat_rank()];
    if (!all)
        return 1;
    for (int i = 0; i < TASKS; i++) {
        make_set(&mine->set[i]);
        for (int k = 0; k < OBJECTS; k++)
            mine->object[i][k] = uat_global_object_alloc(OBJECT);
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
    for (int rank = 0; rank < uat_size(); rank++)
        for (int i = 0; i < TASKS * OBJECTS; i++)
            add_cell(card[rank].object[i % TASKS][i / TASKS], OBJECT, i % TASKS);
    if (uat_run(prepare, NULL, 0, NULL, 0) || uat_run(root, NULL, 0, &wrong, sizeof(wrong)))
        return 1;
    return uat_finalize() != 0 || wrong != 0;
}
