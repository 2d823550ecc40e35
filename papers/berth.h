/* SPDX-License-Identifier: MIT */
/*
 * Iso-address stacks (UAT_STACKS=iso), for comparisons with uni-address. The region is divided into berths of
 * equal size. Each worker owns an equal share of them, at the same addresses in all workers. A task's stack lies
 * in a berth of the worker that spawned the task.
 *
 *   I1  A berth belongs to one live task of the job. It is free again after that task has ended: the task's last worker
 *       gives it back to its owner, as a join record is given back (uat_keeper_give_back()).
 *   I2  A stack moves from worker to worker, but never to another address. A joiner that waits stays where it is, and
 *       the worker on which its child ends READs it from there.
 *   I3  Frame, result and copied argument of a child lie at the top of its berth. Its spawner's stack pointer S is in
 *       another berth. The frame below S keeps `task`, and its word `record` holds the base of the child.
 *   I4  A worker has a canary in the top word of each berth whose top page it has touched. check_stack() finds a
 *       stack that has overwritten the canary of the berth below, and a stack pointer that lies in another berth than
 *       the task's. It is called at each spawn, join, wait and end of a task. A function that jumps over the canary and
 *       has returned before the next of these calls is not found.
 */
#ifndef UAT_BERTH_H
#define UAT_BERTH_H

#include "runtime/task/stacks.h"

extern const struct uat_stack_mode uat_berths;

#endif
