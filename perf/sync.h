/* SPDX-License-Identifier: MIT */
/* What uat-sync measures: exercises of tasks that wait. */
#ifndef UAT_PERF_SYNC_H
#define UAT_PERF_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "uat/sync.h"

enum {
    SYNC_MEMBERS_MAX = 4096,
    SYNC_FIBERS_MAX = 16384,
    SYNC_FUTURES = 16 /* far ones that are waited for in a batch, and set; of 8 bytes */
};

/* What one execution of an exercise has found. */
struct sync_taken {
    uint64_t cycles;  /* of the whole */
    uint64_t trips;   /* round trips of one worker ... */
    uint64_t counted; /* ... during so many operations */
    uint64_t answer;
};

/* The size of the exercises, and objects that live with the last worker. The same on all workers. */
struct sync_plan {
    uint64_t members, passes, fibers, depth;
    uint64_t mutex, channel; /* handles; the channel holds one value of 8 bytes */
    uint64_t future[SYNC_FUTURES];
};

struct sync_exercise {
    const char *key, *text;
    bool far; /* on objects of another worker: needs two workers */
    /* Collective. The answer that is right, and what the cycles and trips are divided by. 0 or a negative errno. */
    int (*run)(const struct sync_plan *plan, struct sync_taken *taken);
    uint64_t (*right)(const struct sync_plan *plan);
    uint64_t (*operations)(const struct sync_plan *plan);
};

enum { SYNC_EXERCISES = 16 };
extern const struct sync_exercise sync_exercises[SYNC_EXERCISES];

/* Where and when something began. */
struct sync_begin {
    uint64_t cycles, trips;
    int rank;
};

struct sync_begin sync_begin(void);

/* What happened since. The round trips are the worker's; they count, for so many operations, if the task is where it
 * was and that is not where the far objects are. */
struct sync_taken sync_taken_since(const struct sync_begin *begin, uint64_t answer, uint64_t operations);

/* Lock and unlock so often, in a task: two operations each. */
struct sync_taken sync_lock(uat_mutex_t m, uint64_t times);

/* A future of a number, and a task that waits for it. */
#define SYNC_NUMBER_FUTURE                                                                                             \
    UAT_FUTURE(uint64_t, number);                                                                                      \
    UAT_TASK(uint64_t, getter, number_future, f)                                                                       \
    {                                                                                                                  \
        return number_get(f);                                                                                          \
    }

int sync_mutex_far(const struct sync_plan *plan, struct sync_taken *taken);
int sync_channel_far(const struct sync_plan *plan, struct sync_taken *taken);
int sync_future_far_wait(const struct sync_plan *plan, struct sync_taken *taken);
int sync_future_far_set(const struct sync_plan *plan, struct sync_taken *taken);
uint64_t sync_passes(const struct sync_plan *plan);
uint64_t sync_twice_passes(const struct sync_plan *plan);
uint64_t sync_sum_of_passes(const struct sync_plan *plan);
uint64_t sync_far_sum(const struct sync_plan *plan);
uint64_t sync_far_count(const struct sync_plan *plan);

struct uat_plot;
extern const struct uat_plot sync_plot; /* what --plot draws */

#endif
