/* SPDX-License-Identifier: MIT */
/*
 * fork() in a task. The task's stack is shared memory, so after a fork parent and child would write to one stack. So
 * while fork() runs, the uni-address region is private memory with the same contents: the parent forks on that, the
 * child keeps it, and the parent copies what its task has changed meanwhile back and maps the shared memory again.
 *
 * Thieves do not see this: they read the shared memory by mappings or registrations of their own, and what is offered
 * to them, the stacks of the running task's ancestors, does not change while the task is in fork(). Nobody writes to
 * the region of a worker that runs a task.
 *
 * The child is no worker: it may return from fork(), compute, exec() or _exit(), but not spawn, join or end its task.
 *
 * vfork(), posix_spawn(), system() and popen() need none of this: the child that they make shares all memory with the
 * parent by design, and the parent waits for it.
 */
#ifndef UAT_FORK_H
#define UAT_FORK_H

#include <stdbool.h>

extern bool uat_fork_is_child;

/* Have fork() do this from now on. After uat_segment_open(). 0, or a negative errno, reported. */
int uat_fork_open(void);

/* Ends a child that tries to go on as a worker. For all slow paths that a task enters the runtime by; in the child they
 * are the only ones. */
void uat_fork_refuse(void) __attribute__((cold));

static inline void uat_fork_check(void)
{
    if (__builtin_expect(uat_fork_is_child, 0))
        uat_fork_refuse();
}

#endif
