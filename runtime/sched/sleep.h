/* SPDX-License-Identifier: MIT */
/*
 * Tasks that sleep. A task sleeps at the worker where it has called uat_sleep_for(). No other worker knows of it until
 * it is due. Then this worker makes it ready, and any worker may resume it. So a sleeping task needs no protocol.
 *
 *   W1  The number of tasks that sleep here is in uat_deadlock_waits. It grows before this worker publishes that it
 *       has no other work, and shrinks after this worker has published that it has work. So rank 0, which checks for
 *       deadlock and READs this number before it READs notice->work, sees the sleeping task or the work.
 *   W2  This worker looks for due tasks each time it takes a ready task, in slow paths of spawns, in uat_work_wanted(),
 *       while it is idle, and while a join waits in place.
 */
#ifndef UAT_SLEEP_H
#define UAT_SLEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/ready.h"

struct uat_sleeper {
    uint64_t due; /* by this worker's uat_clock_ns(); in a checkpoint: the time left, in nanoseconds */
    struct uat_ready_task task;
};

/* The tasks that sleep here: a binary heap, whose first task is due first. */
struct uat_sleepers {
    struct uat_sleeper *heap;
    size_t count, room;
    void (*push)(const struct uat_ready_task *task); /* makes a task ready that is due */
};
extern struct uat_sleepers uat_sleepers __attribute__((visibility("hidden")));

static inline bool uat_sleep_any(void)
{
    return __builtin_expect(uat_sleepers.count > 0, 0);
}

/* Make the tasks ready that are due. */
void uat_sleep_wake(void);

/* In a job with one worker that has nothing else to do: let time pass until the next task is due. A signal may end the
 * pause earlier. */
void uat_sleep_pause(void);

/* The end of a sleep of ns nanoseconds that begins now. A sleep beyond the clock's range never ends. */
uint64_t uat_sleep_due(uint64_t ns);

/* Add a task, which has been evacuated and counted as one that sleeps. Ends the job if there is no memory. */
void uat_sleep_add(const struct uat_sleeper *sleeper);

void uat_sleep_close(void);

#endif
