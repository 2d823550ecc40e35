/* SPDX-License-Identifier: MIT */
/* Objects that count: semaphores, latches and barriers of tasks. The rules of uat/sync.h hold here, too. */
#ifndef UAT_SEMAPHORE_H
#define UAT_SEMAPHORE_H

#include "sync.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A counting semaphore (Dijkstra 1965). */
typedef struct uat_semaphore {
    uint64_t object;
} uat_semaphore_t;

/* count: the initial number of units. */
uat_semaphore_t uat_semaphore_create(uint64_t count);
/* Take one unit. Waits until there is a unit. */
void uat_semaphore_acquire(uat_semaphore_t s);
/* Take one unit if there is one, without waiting. Returns 0, or -EAGAIN if there is none. */
int uat_semaphore_try_acquire(uat_semaphore_t s);
/* Add n units, so that up to n waiting tasks continue. A count above 2^64 - 1 is an error. */
void uat_semaphore_release(uat_semaphore_t s, uint64_t n);
void uat_semaphore_destroy(uat_semaphore_t s);

/* A latch opens, permanently, when it has been counted down to 0. */
typedef struct uat_latch {
    uint64_t object;
} uat_latch_t;

/* count: the initial count; 0: the latch is open. */
uat_latch_t uat_latch_create(uint64_t count);
/* Subtract n from the count. It is an error if n exceeds the count. */
void uat_latch_count_down(uat_latch_t l, uint64_t n);
/* Returns 0 if the latch is open, or -EAGAIN; does not wait. */
int uat_latch_try_wait(uat_latch_t l);
/* Wait until the latch is open. */
void uat_latch_wait(uat_latch_t l);
void uat_latch_destroy(uat_latch_t l);

/* A reusable barrier for a group of tasks. (uat_barrier() is a barrier for all workers, outside of tasks.) */
typedef struct uat_task_barrier {
    uint64_t object;
} uat_task_barrier_t;

/* n: number of tasks in the group. */
uat_task_barrier_t uat_task_barrier_create(uint64_t n);
/* Wait until n tasks have called this function. Returns 1 in the task that arrived last, 0 in the other tasks. */
int uat_task_barrier_wait(uat_task_barrier_t g);
void uat_task_barrier_destroy(uat_task_barrier_t g);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
