/* SPDX-License-Identifier: MIT */
/*
 * How the exception of a C++ task reaches the task that joins it. An exception object belongs to its process. So the
 * child describes the exception in a struct uat_failure, and the joiner throws a new exception.
 *
 * Between the catch and the throw, the running task has failed, and uat_failing.yes is set. Such a task neither spawns
 * nor joins until it has taken the failure. If uat_failing.yes is set, the functions that the library's loops call
 * return at once. A task that ends while uat_failing.yes is set has failed, and its join sets uat_failing.yes in the
 * joiner.
 */
#ifndef UAT_DETAIL_FAILURE_H
#define UAT_DETAIL_FAILURE_H

#include <stdint.h>

#include "../../uat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct uat_failure {
    uint32_t kind;  /* the type: enum failure_kind of failure.hpp */
    int32_t number; /* error number of a std::system_error */
    char type[120]; /* the type's name; cut off if it is too long, as what() is */
    char what[896];
}; /* 1024 bytes, the minimum of UAT_RESULT_MAX, because it travels in place of a result */

/* Belongs to this process. */
extern struct uat_failing {
    uint64_t yes;
    struct uat_failure failure;
} uat_failing;

/* Mark the running task as failed. *failure is copied. */
void uat_fail(const struct uat_failure *failure);

/* Take the failure: the running task is no longer marked as failed. The failure is copied to *failure, unless failure
 * is NULL. */
void uat_failure_take(struct uat_failure *failure);

/* uat_join() for use while an exception unwinds the stack: it does not move this task. An exception of the child is
 * dropped. Ends the job with a message if there is no other worker that could run the child to its end. */
void uat_join_in_place(uat_task_t *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
