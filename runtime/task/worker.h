/* SPDX-License-Identifier: MIT */
/*
 * This process as a worker. A global, so that a task always finds the worker that it runs on now.
 *
 * Code that may run in a task reads from here what it needs after each point where the task may migrate, and keeps
 * none of it in a frame across such a point.
 */
#ifndef UAT_WORKER_H
#define UAT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "deque/owner.h"
#include "include/uat.h"

/* Only what the assembly works on, and what its slow paths look at first. Every other part keeps its own state. */
struct uat_worker {
    struct uat_deque deque;
    _Alignas(256) uint64_t tasks; /* spawned here. At a fixed offset, for the assembly */
    uintptr_t scheduler_sp;       /* where uat_resume() waits, on the process's own stack */
    uintptr_t suspended_sp;       /* a task that waits in uat_join_wait() or uat_park() */
    uat_task_t *suspended_task;   /* for this child, or as this struct uat_park says */
    bool running;                 /* inside uat_run() */
};

extern struct uat_worker uat_worker __attribute__((visibility("hidden")));

#endif
