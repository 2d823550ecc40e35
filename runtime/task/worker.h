/* SPDX-License-Identifier: MIT */
/*
 * This process as a worker: a global variable, so that a task always finds the worker on which it runs now.
 *
 * Code that may run in a task must read this global again after each point where the task may migrate, and must not
 * keep any part of it in a frame across such a point.
 */
#ifndef UAT_WORKER_H
#define UAT_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "base/kernel.h"
#include "deque/owner.h"
#include "include/uat.h"

/* Holds only what the assembly uses and what its slow paths read first. Every other part keeps its own state. */
struct uat_worker {
    struct uat_deque deque;
    _Alignas(256) uint64_t tasks; /* number of tasks spawned here; the assembly needs it at a fixed offset */
    uintptr_t scheduler_sp;       /* stack pointer of the scheduler in uat_resume() */
    uintptr_t suspended_sp;       /* of the task that waits in uat_join_suspend() or uat_park(), or that has ended */
    uat_task_t *suspended_task;   /* the child that this task waits for, its struct uat_park, or &uat_stop_mark */
    bool running;                 /* is this worker inside uat_run()? */
};

extern struct uat_worker uat_worker UAT_KERNEL_OBJECT;

/* The fields of uat_stats_detail_t that scheduler, joins and torture count; runtime/task/room.c adds them. The other
 * fields are 0 here: the rooms set them. */
extern uat_stats_detail_t uat_task_counts __attribute__((visibility("hidden")));

#endif
