/* SPDX-License-Identifier: MIT */
/*
 * A program that a worker starts (system(), popen(), fork() and exec, directly or by a shell) inherits the variables
 * PMIX_* of the worker. It must not join the job as that worker. So a worker leaves a mark in its environment before
 * it joins. The mark stays after the worker has left the job, because the other workers do not wait for the program.
 * Another launcher, such as uatrun in a task, gives its workers another job's name, to which the mark does not apply.
 */
#ifndef UAT_NESTED_H
#define UAT_NESTED_H

#include <sys/types.h>

/* The pid of the worker whose variables PMIX_* this process has inherited; 0 if they are its own. */
pid_t uat_nested_in(void);

/* Mark the environment of a worker, which has PMIX_NAMESPACE and PMIX_RANK. Returns 0, or a negative errno that has
 * been reported. */
int uat_nested_mark(void);

#endif
