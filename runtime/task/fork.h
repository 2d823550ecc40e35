/* SPDX-License-Identifier: MIT */
/*
 * fork() in a task. The task's stack is shared memory, so after a fork, parent and child would write to one stack.
 * Therefore the uni-address region is private memory while fork() runs. Its contents stay the same. The child keeps
 * that memory. The parent copies its task's changes back, and maps the shared memory again.
 *
 * Thieves do not notice. They read the shared memory through their own mappings or registrations. They may take only
 * the stacks of the running task's ancestors, which do not change while the task is in fork(). No peer writes to the
 * region of a worker that runs a task.
 *
 * The child is not a worker. It may return from fork(), compute, exec() or _exit(); it may not spawn, join or end its
 * task.
 *
 * vfork(), posix_spawn(), system() and popen() need none of this: their child shares all memory with the parent by
 * design, and the parent waits for it.
 */
#ifndef UAT_FORK_H
#define UAT_FORK_H

#include <stdbool.h>

extern bool uat_fork_is_child;
/* The next fork() makes a spare process, which may become a worker (runtime/checkpoint/survive.h). */
extern bool uat_fork_for_spare __attribute__((visibility("hidden")));

/* Install the handlers of fork(). To be called after uat_segment_open(). Returns 0 or a negative errno, which has been
 * reported. */
int uat_fork_open(void);

/* Ends a forked child that tries to continue as a worker. The slow paths of a spawn, of a task's end and of a join call
 * this function. In the child every spawn and every task's end takes the slow path. */
void uat_fork_refuse(void) __attribute__((cold));

static inline void uat_fork_check(void)
{
    if (__builtin_expect(uat_fork_is_child, 0))
        uat_fork_refuse();
}

#endif
