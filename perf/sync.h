/* SPDX-License-Identifier: MIT */
/* The exercises that uat-sync measures: tasks that wait. */
#ifndef UAT_PERF_SYNC_H
#define UAT_PERF_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "uat/sync.h"

enum {
    SYNC_MEMBERS_MAX = 4096,
    SYNC_FIBERS_MAX = 16384,
    SYNC_FUTURES = 16 /* far futures of 8 bytes that a batch waits for and sets */
};

/* The result of one execution of an exercise. */
struct sync_taken {
    uint64_t cycles;  /* cycles of the whole execution */
    uint64_t trips;   /* round trips of one worker */
    uint64_t counted; /* number of operations that made these round trips */
    uint64_t answer;
};

/* The sizes and objects of the exercises. The last worker owns the objects. All workers have the same values here. */
struct sync_plan {
    uint64_t members, passes, fibers, depth;
    uint64_t frame;          /* additional bytes in the frame of a member of a ring */
    uint64_t mutex, channel; /* handles of a mutex and a channel; the channel holds one value of 8 bytes */
    uint64_t future[SYNC_FUTURES];
};

struct sync_exercise {
    const char *key, *text;
    bool far; /* uses objects of another worker: needs two workers */
    /* Run the exercise. Collective. Returns 0 or a negative errno. */
    int (*run)(const struct sync_plan *plan, struct sync_taken *taken);
    uint64_t (*right)(const struct sync_plan *plan);
    uint64_t (*operations)(const struct sync_plan *plan);
};

enum { SYNC_EXERCISES = 17 };
extern const struct sync_exercise sync_exercises[SYNC_EXERCISES];

/* The worker and the time at which a measurement started. */
struct sync_begin {
    uint64_t cycles, trips;
    int rank;
};

struct sync_begin sync_begin(void);

/* The result of a measurement since `begin`. It counts the worker's round trips and `operations` under two conditions:
 * the task is still on the same worker, and that worker does not own the far objects. */
struct sync_taken sync_taken_since(const struct sync_begin *begin, uint64_t answer, uint64_t operations);

/* Lock and unlock `times` times, in a task: two operations each time. */
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

#endif
