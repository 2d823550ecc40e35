/* SPDX-License-Identifier: MIT */
/*
 * Offsets that the assembly uses. Static assertions near the structures check the offsets: runtime/task/worker.c,
 * runtime/sched/park.h, runtime/segment/frame.h.
 */
#ifndef UAT_OFFSETS_H
#define UAT_OFFSETS_H

#ifdef __aarch64__
#include "asm/aarch64/continuation.h"
#else
#include "asm/x86_64/continuation.h"
#endif

/* struct uat_worker */
#define UAT_WORKER_TOP            0  /* deque.top */
#define UAT_WORKER_LOOK           8  /* deque.look */
#define UAT_WORKER_PUSH_CLAIMS    16 /* deque.push_claims */
#define UAT_WORKER_POP_CLAIMS     24 /* deque.pop_claims */
#define UAT_WORKER_TASKS          256
#define UAT_WORKER_SCHEDULER_SP   264
#define UAT_WORKER_SUSPENDED_SP   272
#define UAT_WORKER_SUSPENDED_TASK 280

/* uat_task_t */
#define UAT_TASK_RECORD 0
#define UAT_TASK_RESULT 8

/* struct uat_frame: the UAT_FRAME_SIZE bytes just below a continuation's stack pointer */
#define UAT_FRAME_TASK        0
#define UAT_FRAME_RECORD      8
#define UAT_FRAME_RESULT_SIZE 16
#define UAT_FRAME_PENDING     20

/* The event that uat_resume() returns to the scheduler. */
#define UAT_EVENT_ENDED   0
#define UAT_EVENT_WAITING 1 /* the task waits in a join */
#define UAT_EVENT_PARKED  2 /* the task waits in uat_park(), and no other task is runnable on this worker */

/* struct uat_park */
#define UAT_PARK_REPLY 16

#endif
