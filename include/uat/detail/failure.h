/* SPDX-License-Identifier: MIT */
/*
 * How the exception of a task of uat.hpp travels to the task that joins it. An exception belongs to its process. So the
 * child describes it in a struct uat_failure, and the joiner throws a copy.
 *
 * Between the catch and the throw the running task has failed: uat_failing says so. The task then neither spawns nor
 * joins until it has taken the failure. The functions that the library's loops call return at once, with uat_failing
 * set. A task that ends with uat_failing set has failed, and its join sets it again in the joiner.
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
    uint32_t kind;  /* the type, by the numbers of failure.hpp */
    int32_t number; /* error number of a std::system_error */
    char type[120]; /* the type's name, cut off if it is longer; so is what() */
    char what[896];
}; /* 1024 bytes: the least UAT_RESULT_MAX, because it travels in the place of a result */

/* Belongs to this process. */
extern struct uat_failing {
    uint64_t yes;
    struct uat_failure failure;
} uat_failing;

/* Note that the running task has failed. *failure is copied. */
void uat_fail(const struct uat_failure *failure);

/* Let the running task continue. Its failure is copied to *failure, unless failure is NULL. */
void uat_failure_take(struct uat_failure *failure);

/* uat_join() that does not move this task, for an exception that unwinds the stack. An exception of the child is
 * dropped. Ends the job with a line if there is no other worker that could run the child to its end. */
void uat_join_in_place(uat_task_t *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
