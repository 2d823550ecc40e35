/* SPDX-License-Identifier: MIT */
/* What the files about races share: see interpret_race.c. */
#ifndef UAT_TEST_RACE_H
#define UAT_TEST_RACE_H

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "tests/mix.h"
#include "tests/random/interpret.h"

enum { NUMBERS = 8 /* numbers per sender */, PIECES = RACERS * NUMBERS, MOVES = 10, ZONES = 3, SLOTS = 3, VALUE = 200 };

/* The objects that the tasks of a race share. */
struct places {
    uat_mutex_t mutex;
    uat_condition_t filled, emptied;
    uat_semaphore_t semaphore;
    uat_channel_t channel[2];
    uat_task_barrier_t barrier;
    uat_latch_t latch;
    uat_future_t future[NUMBERS];
    int channels;
};

struct racer {
    int index, me;
    struct places at;
};

/* What one task has seen: its critical sections in each zone, its received numbers as bits, and how many times it
 * arrived last. */
struct outcome {
    uint64_t turns[ZONES], numbers, last;
};

struct race {
    const struct op *o;
    const struct places *at;
    int me, all;
    uint64_t random, own; /* own: the stamp of the task's own bytes */
    struct outcome out;
};

uint64_t race_pick(struct race *r, uint64_t below);

/* A task writes a piece before it passes the piece on, and reads pieces that were passed on to it. */
void race_fill(struct race *r, int number);
void race_look(struct race *r, int number);
/* Read a piece that no task is writing. This also caches the neighbouring bytes. These must be fetched again after they
 * were passed on. */
void race_touch(struct race *r, int number);

/* A bounded buffer of numbers, at the start of the range. */
struct buffer {
    uint32_t first, count, left;
    int slot[SLOTS];
};

/* Whether this is a race for the buffer. */
static inline bool race_has_buffer(const struct op *o)
{
    return o->way == 3 && o->range.bytes >= sizeof(struct buffer);
}

/* The number of senders. The first tasks send; the others receive. In a race through channels, the last task only
 * closes them. */
static inline int race_senders(const struct op *o)
{
    return 1 + (int)(mix(o->stamp) % (o->count - 2));
}

/* The capacity of each channel. */
static inline size_t race_capacity(const struct op *o)
{
    static const size_t capacities[] = {0, 1, 2, 4};
    return o->way == 0 ? 1 : capacities[mix(o->stamp + 1) % 4];
}

/* The stamp of a piece, or of the value with this number. */
static inline uint64_t race_stamp(const struct op *o, int number)
{
    return mix(o->stamp + 1 + (uint64_t)number);
}

/* Part i of n of the range, excluding the buffer. */
struct range race_part(const struct op *o, int i, int n);

/* interpret_search.c */
void race_in_search(int index);
/* interpret_values.c: numbers through channels, or through the buffer. */
void race_for_values(struct race *r);
void race_for_buffer(struct race *r);

#endif
