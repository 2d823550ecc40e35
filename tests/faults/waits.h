/* SPDX-License-Identifier: MIT */
/* The kinds of waiting of the program `waits`: what one task of a round does. */
#ifndef TEST_WAITS_H
#define TEST_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "uat/channel.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum {
    TASKS = 9,
    STEPS = 12,
    SPINS = 3000,
    OBJECTS = 4,
    LIMIT = 3,
    NAMES = 3,
    LOOPERS = 2,
    ITERATIONS = 2000, /* of a loop, each of them MIXES calls of mix(), or WORK_NS of virtual time */
    MIXES = 30,
    WORK_NS = 100,
    LARGE = 5 /* words in a large value */
};

struct large {
    uint64_t word[LARGE];
};

/* What each task of a round knows: its number, and handles of objects. */
struct work {
    uint64_t seed, ask, errors, sum;
    uint64_t place;
    uat_future_t above[STEPS], own[STEPS];
    uat_channel_t channel[OBJECTS];
    uat_mutex_t mutex;
    uat_shared_mutex_t shared;
    uat_condition_t condition[2];
    uat_semaphore_t semaphore;
    uat_latch_t latch;
    uat_task_barrier_t barrier;
    uat_cancel_t cancel;
};

struct kind {
    const char *name;
    void (*run)(struct work *work);
};
extern const struct kind kinds[];
extern const size_t kind_count;

/* The number of steps that tasks of this process have made. */
extern uint64_t steps;

/* Channel i of a "named" round. */
uat_channel_t named_channel(const struct work *w, unsigned i);

/* The sum of the numbers of a "migrate" round, from a reducer. The call resets the sum to 0. */
uint64_t total_of_round(void);

#endif
