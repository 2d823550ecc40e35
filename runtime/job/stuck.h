/* SPDX-License-Identifier: MIT */
#ifndef UAT_STUCK_H
#define UAT_STUCK_H

#include <sys/types.h>

/*
 * A worker whose task waits for a lock of the C library. If a task holds such a lock over a spawn or a join, another
 * task on the same worker, or on the worker to which the holder has moved, may wait for the lock forever. The same goes
 * for the initialiser of a static local variable and for call_once(). The worker itself cannot report this.
 *
 * Another thread of the process calls this every UAT_STALL_TIMEOUT. thread: the worker's thread. If that thread is in a
 * task, and has slept in the same wait for a futex since the last call, a line says so, once in a process.
 */
void uat_stuck_look(pid_t thread);

#endif
