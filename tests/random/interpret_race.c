/* SPDX-License-Identifier: MIT */
/*
 * Tasks that deliberately use the same objects at the same time. Each task's share of the values depends on chance. The
 * sum of all shares does not depend on chance. The contents that tasks may read do not depend on chance either. Each
 * operation has its own range. Its tasks pass the pieces of the range on to each other through these objects. Finally
 * the range has the contents that the reference wrote.
 */
#include <errno.h>
#include <string.h>

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "tests/random/race.h"

uint64_t race_pick(struct race *r, uint64_t below)
{
    return (r->random = mix(r->random + UINT64_C(0x9e3779b97f4a7c15))) % below;
}

struct range race_part(const struct op *o, int i, int n)
{
    uint32_t head = race_has_buffer(o) ? sizeof(struct buffer) : 0;
    uint64_t bytes = o->range.bytes - head, begin = bytes * (uint64_t)i / (uint64_t)n,
             end = bytes * (uint64_t)(i + 1) / (uint64_t)n;
    return (struct range){o->range.area, o->range.from + head + (uint32_t)begin, (uint32_t)(end - begin)};
}

/* Write a piece, before it is passed on. */
void race_fill(struct race *r, int number)
{
    struct range range = race_part(r->o, number, PIECES);
    char local[256];
    if (!range.bytes)
        return;
    if (range.bytes <= sizeof(local) && race_pick(r, 3) == 0) {
        stamp_fill(local, race_stamp(r->o, number), 0, range.bytes);
        memory_put(range, local);
        return;
    }
    stamp_fill(memory_checkout(range, UAT_WRITE), race_stamp(r->o, number), 0, range.bytes);
    memory_checkin(range, UAT_WRITE);
}

/* Read a piece that was passed on. */
void race_look(struct race *r, int number)
{
    struct range range = race_part(r->o, number, PIECES);
    if (!range.bytes)
        return;
    check_that(r->o, stamp_is(memory_checkout(range, UAT_READ), race_stamp(r->o, number), 0, range.bytes),
               "a piece that another task has passed on");
    memory_checkin(range, UAT_READ);
}

void race_touch(struct race *r, int number)
{
    struct range range = race_part(r->o, number, PIECES);
    if (!range.bytes || race_pick(r, 2))
        return;
    memory_checkout(range, UAT_READ);
    memory_checkin(range, UAT_READ);
    uint64_t n = race_pick(r, 40000); /* meanwhile other tasks may write pieces and pass them on */
    uat_sim_work(n);
    for (; n > 0; n--)
        __asm__ volatile("");
}

/* Critical sections. They are protected by a mutex, by a unit of a semaphore, or by a value in a channel. */

static bool enter(struct race *r, int zone, bool may_wait)
{
    uint64_t token;
    bool waits = may_wait && race_pick(r, 2);
    int rc = 0;
    if (zone == 0 && waits)
        uat_mutex_lock(r->at->mutex);
    else if (zone == 0)
        rc = uat_mutex_try_lock(r->at->mutex);
    else if (zone == 1 && waits)
        uat_semaphore_acquire(r->at->semaphore);
    else if (zone == 1)
        rc = uat_semaphore_try_acquire(r->at->semaphore);
    else if (waits)
        rc = uat_channel_receive(r->at->channel[0], &token);
    else
        rc = uat_channel_try_receive(r->at->channel[0], &token);
    check_that(r->o, rc == 0 || (rc == -EAGAIN && !waits), "what entering a zone returns");
    return rc == 0;
}

static void leave(struct race *r, int zone)
{
    uint64_t token = r->o->stamp;
    if (zone == 0)
        uat_mutex_unlock(r->at->mutex);
    else if (zone == 1)
        uat_semaphore_release(r->at->semaphore, 1);
    else
        uat_channel_send(r->at->channel[0], &token);
}

/* All bytes of a zone count the critical sections. */
static void count_turn(struct race *r, int zone)
{
    struct range range = race_part(r->o, zone, ZONES + RACERS);
    if (!range.bytes)
        return;
    char *place = memory_checkout(range, UAT_READ_WRITE);
    for (uint32_t i = 0; i < range.bytes; i++)
        check_that(r->o, place[i] == place[0], "a byte of a zone");
    memset(place, place[0] + 1, range.bytes);
    memory_checkin(range, UAT_READ_WRITE);
}

/* The task's own bytes are next to the zones. The task keeps them checked out during some of the calls. Those calls
 * must not wait. */
static char *open_own(struct race *r, struct range own, uint64_t move)
{
    if (!own.bytes || race_pick(r, 2))
        return NULL;
    check_that(r->o, move == 0 || stamp_is(memory_checkout(own, UAT_READ), r->own, 0, own.bytes), "a task's own bytes");
    if (move > 0)
        memory_checkin(own, UAT_READ);
    char *place = memory_checkout(own, UAT_WRITE);
    stamp_fill(place, r->own = race_stamp(r->o, (int)move), 0, own.bytes);
    return place;
}

static void race_for_zones(struct race *r)
{
    struct range own = race_part(r->o, ZONES + r->me, ZONES + RACERS);
    for (uint64_t moves = 1 + race_pick(r, MOVES), opened = 0; moves > 0; moves--) {
        int zone = (int)race_pick(r, ZONES);
        char *place = open_own(r, own, opened);
        if (enter(r, zone, !place)) {
            count_turn(r, zone);
            r->out.turns[zone]++;
            if (!place && race_pick(r, 4) == 0)
                uat_yield();
            leave(r, zone);
        }
        if (!place)
            continue;
        check_that(r->o, stamp_is(place, r->own, 0, own.bytes), "a task's own bytes that are checked out");
        memory_checkin(own, UAT_WRITE);
        opened++;
    }
}

/* Rounds. In each round one task sets a future, or all meet at a barrier. At the end all open a latch. */

static void get_round(struct race *r, int round)
{
    uint64_t got = 0, want = race_stamp(r->o, round);
    uat_future_t f = r->at->future[round];
    bool sets = round % r->all == r->me;
    if (sets) {
        race_fill(r, round * RACERS);
        uat_future_set(f, &want);
    } else {
        race_touch(r, round * RACERS + 1);
    }
    switch (race_pick(r, 3)) {
    case 0:
        uat_future_get(f, &got);
        break;
    case 1:
        while (uat_future_try_get(f, &got)) {
            check_that(r->o, !sets, "a future that the task itself has set");
            uat_yield();
        }
        break;
    default:
        if (uat_future_try_get(f, &got)) {
            check_that(r->o, !sets, "a future that the task itself has set");
            return; /* not set yet; another task sets it */
        }
    }
    check_that(r->o, got == want, "the value of a future in a race");
    race_look(r, round * RACERS);
}

static void race_in_rounds(struct race *r)
{
    int next = (r->me + 1) % r->all;
    for (int round = 0; round < NUMBERS - 1; round++) {
        if (mix(r->o->stamp + (uint64_t)round) % 2) {
            get_round(r, round);
            continue;
        }
        race_fill(r, round * RACERS + r->me);
        r->out.last += (uint64_t)uat_task_barrier_wait(r->at->barrier);
        race_look(r, round * RACERS + next);
    }
    race_fill(r, (NUMBERS - 1) * RACERS + r->me);
    uat_latch_count_down(r->at->latch, 1);
    uat_latch_wait(r->at->latch);
    race_look(r, (NUMBERS - 1) * RACERS + next);
}

/* All tasks arrive before any task continues. Some tasks have cached the bytes that other tasks will change. */
static void race_task(void *arg, void *result)
{
    struct racer me = *(const struct racer *)arg;
    const struct op *o = &program.op[me.index];
    struct race r = {.o = o, .at = &me.at, .me = me.me, .all = (int)o->count, .random = o->stamp + (uint64_t)me.me};
    if (race_pick(&r, 2)) {
        memory_checkout(o->range, UAT_READ);
        memory_checkin(o->range, UAT_READ);
    }
    uat_task_barrier_wait(me.at.barrier);
    if (o->way == 0)
        race_for_zones(&r);
    else if (o->way == 1)
        race_in_rounds(&r);
    else if (race_has_buffer(o))
        race_for_buffer(&r);
    else
        race_for_values(&r);
    memcpy(result, &r.out, sizeof(r.out));
}

static void make_places(const struct op *o, struct places *at)
{
    static const size_t sizes[] = {8, 13, 24, VALUE};
    size_t size = o->way == 0 ? 8 : sizes[mix(o->stamp + 2) % 4];
    uint64_t token = o->stamp;
    *at = (struct places){
        .mutex = uat_mutex_create(),
        .filled = uat_condition_create(),
        .emptied = uat_condition_create(),
        .semaphore = uat_semaphore_create(1),
        .channel = {uat_channel_create(size, race_capacity(o)), uat_channel_create(size, race_capacity(o))},
        .barrier = uat_task_barrier_create(o->count),
        .latch = uat_latch_create(o->way == 1 ? o->count : (uint64_t)race_senders(o)),
        .channels = 1 + (int)(o->stamp % 2)};
    for (int i = 0; i < NUMBERS; i++)
        at->future[i] = uat_future_create(8);
    if (o->way == 0)
        uat_channel_send(at->channel[0], &token);
    char *place = memory_checkout(o->range, UAT_WRITE);
    memset(place, 0, o->range.bytes);
    const struct buffer empty = {.left = (uint32_t)(race_senders(o) * NUMBERS)};
    if (race_has_buffer(o))
        memcpy(place, &empty, sizeof(empty));
    memory_checkin(o->range, UAT_WRITE);
}

static void end_places(const struct places *at)
{
    uat_mutex_destroy(at->mutex);
    uat_condition_destroy(at->filled);
    uat_condition_destroy(at->emptied);
    uat_semaphore_destroy(at->semaphore);
    uat_channel_destroy(at->channel[0]);
    uat_channel_destroy(at->channel[1]);
    uat_task_barrier_destroy(at->barrier);
    uat_latch_destroy(at->latch);
    for (int i = 0; i < NUMBERS; i++)
        uat_future_destroy(at->future[i]);
}

/* Check what all tasks together must have seen. */
static void check_outcome(const struct op *o, const struct outcome *all)
{
    uint64_t numbers = 0, last = 0, rounds = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        check_that(o, !(numbers & all[i].numbers), "a number that two tasks have received");
        numbers |= all[i].numbers;
        last += all[i].last;
    }
    for (uint64_t i = 0; i < NUMBERS - 1; i++)
        rounds += mix(o->stamp + i) % 2 == 0;
    check_that(o, last == (o->way == 1 ? rounds : 0), "who came last to a barrier");
    check_that(o, o->way < 2 || numbers == (UINT64_C(1) << race_senders(o) * NUMBERS) - 1, "the numbers received");
    for (int zone = 0; zone < ZONES && o->way == 0; zone++) {
        struct range range = race_part(o, zone, ZONES + RACERS);
        unsigned char turns = 0;
        for (uint64_t i = 0; i < o->count; i++)
            turns += (unsigned char)all[i].turns[zone];
        if (!range.bytes)
            continue;
        const unsigned char *place = (const unsigned char *)memory_checkout(range, UAT_READ);
        for (uint32_t i = 0; i < range.bytes; i++)
            check_that(o, place[i] == turns, "the critical sections of a zone");
        memory_checkin(range, UAT_READ);
    }
}

void interpret_race(int index)
{
    const struct op *o = &program.op[index];
    uat_task_t task[RACERS];
    struct outcome out[RACERS];
    struct racer racer = {.index = index};
    if (!plain && o->way == 4) {
        race_in_search(index);
    } else if (!plain) {
        make_places(o, &racer.at);
        for (racer.me = 0; racer.me < (int)o->count; racer.me++)
            uat_spawn(&task[racer.me], race_task, &racer, sizeof(racer), &out[racer.me], sizeof(out[racer.me]));
        for (int i = (int)o->count - 1; i >= 0; i--)
            uat_join(&task[i]);
        check_outcome(o, out);
        end_places(&racer.at);
    }
    stamp_fill(memory_checkout(o->range, UAT_WRITE), o->stamp, 0, o->range.bytes);
    memory_checkin(o->range, UAT_WRITE);
}
