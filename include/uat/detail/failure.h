/* SPDX-License-Identifier: MIT */
/*
 * How the exception of a C++ task reaches the task that joins it. An exception object belongs to its process. So the
 * child describes the exception in a struct uat_failure, and the joiner throws a new exception.
 *
 * Between the catch and the throw, the running task has failed, and uat_failing.yes is set. Such a task neither spawns
 * nor joins until it has taken the failure. While uat_failing.yes is set, the functions that the library's loops call
 * return at once. If a task ends while uat_failing.yes is set, the task has failed, and its join sets uat_failing.yes
 * in the joiner.
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
    char type[120]; /* the type's name; a name that is too long is cut off, and so is what() */
    char what[896];
}; /* 1024 bytes, the minimum of UAT_RESULT_MAX, because a failure travels in place of a result */

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

/* End the job because of an exception, with a message and SIGABRT. event: a description of the event; what: the
 * exception's what(). If both are NULL, the library has already reported the cause; the process then exits with status
 * 1, without SIGABRT. */
void uat_end_by_exception(const char *event, const char *what) __attribute__((noreturn));

/* uat_join() for use while an exception unwinds the stack. It does not move this task, and drops an exception of the
 * child. If no other worker could run the child to its end, it ends the job with a message. */
void uat_join_in_place(uat_task_t *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
