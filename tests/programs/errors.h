/* SPDX-License-Identifier: MIT */
/* What the files of the program errors share. */
#ifndef UAT_TEST_ERRORS_H
#define UAT_TEST_ERRORS_H

#include <stdbool.h>
#include <uat/limit.h>

/* The objects of a call: no objects, objects that were destroyed, or objects of another kind. */
struct errors_handles {
    uat_future_t future;
    uat_mutex_t mutex;
    uat_condition_t condition;
    uat_semaphore_t semaphore;
    uat_latch_t latch;
    uat_task_barrier_t barrier;
    uat_channel_t channel;
    uat_shared_mutex_t shared;
    uat_once_t once;
    uat_cancel_t cancel;
};

/* Is the call made in a task? At other moments the moment alone must be wrong, so the arguments are right. */
extern bool errors_in_task;

/* Does the command line name this function? In the mode that lists the functions, print the name and return false. */
bool errors_asked(const char *name);

/* Make the call that the command line names, with these objects. Returns what the function returns; 0 if it returns
 * nothing; LONG_MIN if there is no such call. */
long errors_call(const struct errors_handles *handles);

#endif
