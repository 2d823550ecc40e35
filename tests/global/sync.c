/* SPDX-License-Identifier: MIT */
/*
 * Description: a task writes to global memory, then sets a future, unlocks a mutex, sends to a channel, counts down a
 * latch, releases a semaphore or closes a channel. The task that gets, locks, receives or waits must read what was
 * written. No spawn and no join orders the two.
 *
 * usage: sync RUNS SEED
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"
#include "uat/channel.h"
#include "uat/global.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum { LOCKERS = 6, TURNS = 12, ROUNDS = 25, CHAIN = 30, PAIRS = 2, BYTES = 100, CELLS = 64 };
enum { READERS = 12, WRITTEN = 4, CLOSES = 8 };

/* Cells of BYTES bytes in global memory. Neighbouring cells have different homes. */
static unsigned char *array;
static uint64_t seed;

static unsigned char *cell(uint64_t i)
{
    return array + (i + seed) % CELLS * UAT_GLOBAL_BLOCK + (i * 37 + seed) % 900;
}

static uint64_t wrong_bytes(uint64_t i, unsigned char value)
{
    uint64_t wrong = 0;
    const unsigned char *q = uat_global_checkout(cell(i), BYTES, UAT_READ);
    for (int k = 0; k < BYTES; k++)
        wrong += q[k] != value;
    uat_global_checkin(cell(i), BYTES, UAT_READ);
    return wrong;
}

static void fill(uint64_t i, unsigned char value)
{
    memset(uat_global_checkout(cell(i), BYTES, UAT_WRITE), value, BYTES);
    uat_global_checkin(cell(i), BYTES, UAT_WRITE);
}

struct locker {
    uat_mutex_t mutex;
    uat_latch_t latch;
};

/* Add 1 to each byte of cell 0 under a mutex, TURNS times. */
static void lock_in_turn(void *arg, void *result)
{
    struct locker l = *(struct locker *)arg;
    uint64_t wrong = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        uat_mutex_lock(l.mutex);
        unsigned char *q = uat_global_checkout(cell(0), BYTES, UAT_READ_WRITE);
        unsigned char before = q[0];
        for (int k = 0; k < BYTES; k++) {
            wrong += q[k] != before;
            q[k]++;
        }
        uat_global_checkin(cell(0), BYTES, UAT_READ_WRITE);
        uat_mutex_unlock(l.mutex);
    }
    uat_latch_count_down(l.latch, 1);
    memcpy(result, &wrong, sizeof(wrong));
}

struct pair {
    uat_channel_t to, from;
    uat_semaphore_t semaphore;
    uint64_t number;
};

static unsigned char value_of(uint64_t round, uint64_t number)
{
    return (unsigned char)(1 + (round * 7 + number + seed) % 250);
}

/* Alternately receive, check the other task's cell, write this task's cell, and send. In the last round, release a
 * semaphore instead of sending. */
static void answer(void *arg, void *result)
{
    struct pair p = *(struct pair *)arg;
    uint64_t wrong = 0, round, theirs = 2 + 2 * p.number, own = theirs + 1;
    while (!uat_channel_receive(p.to, &round)) {
        wrong += wrong_bytes(theirs, value_of(round, p.number));
        fill(own, value_of(round + 1, p.number));
        if (round + 1 < ROUNDS)
            uat_channel_send(p.from, &round);
        else
            uat_semaphore_release(p.semaphore, 1);
    }
    memcpy(result, &wrong, sizeof(wrong));
}

static uint64_t talk(struct pair p)
{
    uint64_t wrong = 0, theirs = 2 + 2 * p.number, reply;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        fill(theirs, value_of(round, p.number));
        uat_channel_send(p.to, &round);
        if (round + 1 < ROUNDS)
            wrong += uat_channel_receive(p.from, &reply) != 0 || reply != round;
        else
            uat_semaphore_acquire(p.semaphore);
        wrong += wrong_bytes(theirs + 1, value_of(round + 1, p.number));
    }
    uat_channel_close(p.to);
    return wrong;
}

struct link {
    uat_future_t before, after;
    uint64_t number;
};

/* Check that the previous link's cell holds that link's number, and write this link's cell. */
static void pass_on(void *arg, void *result)
{
    struct link l = *(struct link *)arg;
    uint64_t wrong = 0, number;
    uat_future_get(l.before, &number);
    wrong += number != l.number - 1;
    wrong += wrong_bytes(20 + number, value_of(number, 9));
    fill(20 + l.number, value_of(l.number, 9));
    uat_future_set(l.after, &l.number);
    memcpy(result, &wrong, sizeof(wrong));
}

static uint64_t lock_all(void)
{
    struct locker l = {uat_mutex_create(), uat_latch_create(LOCKERS)};
    uat_task_t t[LOCKERS];
    uint64_t wrong[LOCKERS], sum = 0;
    fill(0, 0);
    for (int i = 0; i < LOCKERS; i++)
        uat_spawn(&t[i], lock_in_turn, &l, sizeof(l), &wrong[i], sizeof(wrong[i]));
    uat_latch_wait(l.latch); /* a wait before the joins, so only this wait orders what follows */
    sum += wrong_bytes(0, LOCKERS * TURNS);
    for (int i = LOCKERS - 1; i >= 0; i--) {
        uat_join(&t[i]);
        sum += wrong[i];
    }
    uat_mutex_destroy(l.mutex);
    uat_latch_destroy(l.latch);
    return sum;
}

static uint64_t talk_all(void)
{
    struct pair p[PAIRS];
    uat_task_t t[PAIRS];
    uint64_t wrong[PAIRS], sum = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
        p[i] = (struct pair){uat_channel_create(8, 1), uat_channel_create(8, 1), uat_semaphore_create(0), i};
        uat_spawn(&t[i], answer, &p[i], sizeof(p[i]), &wrong[i], sizeof(wrong[i]));
    }
    for (int i = PAIRS - 1; i >= 0; i--) {
        sum += talk(p[i]);
        uat_join(&t[i]);
        sum += wrong[i];
        uat_channel_destroy(p[i].to);
        uat_channel_destroy(p[i].from);
        uat_semaphore_destroy(p[i].semaphore);
    }
    return sum;
}

static uint64_t chain(void)
{
    struct link l[CHAIN];
    uat_task_t t[CHAIN];
    uint64_t wrong[CHAIN], sum = 0, number = 0;
    uat_future_t first = uat_future_create(8), before = first;
    for (uint64_t i = 0; i < CHAIN; i++) {
        l[i] = (struct link){before, uat_future_create(8), i + 1};
        before = l[i].after;
        uat_spawn(&t[i], pass_on, &l[i], sizeof(l[i]), &wrong[i], sizeof(wrong[i]));
    }
    fill(20, value_of(0, 9));
    uat_future_set(first, &number);
    uat_future_get(before, &number);
    sum += number != CHAIN;
    for (uint64_t i = 0; i <= CHAIN; i++)
        sum += wrong_bytes(20 + i, value_of(i, 9));
    for (int i = CHAIN - 1; i >= 0; i--) {
        uat_join(&t[i]);
        sum += wrong[i];
        uat_future_destroy(l[i].after);
    }
    uat_future_destroy(first);
    return sum;
}

struct neighbour {
    uat_future_t begun, written;
    uat_semaphore_t permit;
    uint64_t value;
    bool counts; /* a unit of a semaphore says that the cell is written; otherwise the future says so */
};

/* Returns whether the other task has written its bytes. The pauses keep the semaphore's guard free most of the time. A
 * task that finds the guard taken would acquire on another path. */
static bool is_written(const struct neighbour *n)
{
    uint64_t value;
    for (int i = 0; n->counts && i < 3000; i++)
        __asm__ volatile("" ::: "memory");
    return n->counts ? !uat_semaphore_try_acquire(n->permit) : !uat_future_try_get(n->written, &value);
}

/* This task has read the page's last bytes while another task wrote the page's first bytes. So this task's cached part
 * is out of date when the task finds that a future is set, or gets a permit. Until then this task has not waited and
 * has not parted from its spawner. */
static void look(void *arg, void *result)
{
    struct neighbour n = *(struct neighbour *)arg;
    const unsigned char *page = array + (55 + seed) % CELLS * UAT_GLOBAL_BLOCK + 8 * 4096;
    uint64_t one = 1, wrong = 0;
    int tries = 0;
    uat_future_set(n.begun, &one);
    uat_global_checkout(page + 4000, 8, UAT_READ);
    uat_global_checkin(page + 4000, 8, UAT_READ);
    while (!is_written(&n))
        if (++tries == 100000) { /* no worker has stolen the other task */
            uat_future_get(n.written, &one);
            break;
        }
    const unsigned char *q = uat_global_checkout(page, BYTES, UAT_READ);
    for (int k = 0; k < BYTES; k++)
        wrong += q[k] != n.value;
    uat_global_checkin(page, BYTES, UAT_READ);
    memcpy(result, &wrong, sizeof(wrong));
}

static uint64_t look_beside(uint64_t value, bool counts)
{
    struct neighbour n = {uat_future_create(8), uat_future_create(8), uat_semaphore_create(0), value, counts};
    unsigned char *page = array + (55 + seed) % CELLS * UAT_GLOBAL_BLOCK + 8 * 4096;
    uint64_t wrong = 0, begun;
    uat_task_t t;
    uat_spawn(&t, look, &n, sizeof(n), &wrong, sizeof(wrong));
    uat_future_get(n.begun, &begun);
    memset(uat_global_checkout(page, BYTES, UAT_WRITE), (int)value, BYTES);
    uat_global_checkin(page, BYTES, UAT_WRITE);
    uat_semaphore_release(n.permit, 1);
    uat_future_set(n.written, &value);
    uat_join(&t);
    uat_future_destroy(n.begun);
    uat_future_destroy(n.written);
    uat_semaphore_destroy(n.permit);
    return wrong;
}

struct reader {
    uat_channel_t channel;
    uint64_t round;
};

/* Wait until the channel is closed. What was written before the close must be visible. */
static void read_at_end(void *arg, void *result)
{
    struct reader r = *(struct reader *)arg;
    uint64_t value, wrong = 0;
    while (!uat_channel_receive(r.channel, &value))
        wrong++;
    for (uint64_t i = 0; i < WRITTEN; i++)
        wrong += wrong_bytes(30 + i, value_of(r.round, i));
    memcpy(result, &wrong, sizeof(wrong));
}

/* All readers already wait when their spawner continues, unless its continuation was stolen. The first readers are
 * woken while others still wait. */
static uint64_t close_all(void)
{
    uat_task_t t[READERS];
    uint64_t wrong[READERS], sum = 0;
    for (uint64_t round = 0; round < CLOSES; round++) {
        struct reader r = {uat_channel_create(8, 0), round};
        for (int i = 0; i < READERS; i++)
            uat_spawn(&t[i], read_at_end, &r, sizeof(r), &wrong[i], sizeof(wrong[i]));
        for (uint64_t i = 0; i < WRITTEN; i++)
            fill(30 + i, value_of(round, i));
        uat_channel_close(r.channel);
        for (int i = READERS - 1; i >= 0; i--) {
            uat_join(&t[i]);
            sum += wrong[i];
        }
        uat_channel_destroy(r.channel);
    }
    return sum;
}

static void root(void *arg, void *result)
{
    uint64_t wrong = lock_all() + talk_all() + chain() + close_all();
    for (uint64_t i = 0; i < 8; i++)
        wrong += look_beside((i * 5 + seed) % 250 + 1, i % 2);
    memcpy(result, &wrong, sizeof(wrong));
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 10, start = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    uint64_t wrong = 0;
    if (uat_init())
        return 1;
    array = uat_global_alloc((size_t)CELLS * UAT_GLOBAL_BLOCK, UAT_CYCLIC, 0);
    for (unsigned long r = 0; array && r < runs && !wrong; r++) {
        seed = start * 1000 + r;
        if (uat_run(root, NULL, 0, &wrong, sizeof(wrong)))
            return 1;
    }
    if (uat_rank() == 0 && wrong)
        fprintf(stderr, "sync: %lu bytes are wrong\n", (unsigned long)wrong);
    return !array || uat_finalize() != 0 || wrong != 0;
}
