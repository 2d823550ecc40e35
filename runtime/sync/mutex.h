/* SPDX-License-Identifier: MIT */
/* A mutex's words, for condition variables and for messages about a lost worker. */
#ifndef UAT_SYNC_MUTEX_H
#define UAT_SYNC_MUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat/sync.h"
#include "runtime/sync/waitobj.h"

enum {
    UAT_MUTEX_LOCKED /* index of the word that holds 0, UAT_MUTEX_HANDED, or rank + 1 of the worker on which the
                         * mutex was locked */
};

#define UAT_MUTEX_HANDED                                                                                               \
    (UINT64_C(1) << 32) /* handed to a waiting task: uat_mutex_resumed_at() says where that task continues */

/* The word with rank + 1 of the worker that resumed the task to which the mutex was last handed. That worker WRITEs
 * it. */
static inline uint64_t *uat_mutex_resumed_at(struct uat_waitobj *m)
{
    return (uint64_t *)(void *)m->data;
}

#define UAT_MUTEX_BIASED UINT64_C(1) /* set in the handle of a biased mutex; names are multiples of 64 */

static inline bool uat_mutex_is_biased(uat_mutex_t m)
{
    return __builtin_expect(m.object & UAT_MUTEX_BIASED, 0);
}

/*
 * The identity of a task that holds a mutex. After the task has parted from its spawner, its join record's name
 * identifies it; no other living task has that name. Before that, three things identify it: its segment's base, its
 * spawner's handle and the worker where it was born. Until it parts, the task is on that worker, and its record will be
 * that worker's. So this identity stays the same wherever the task goes. The record of a group's children may belong to
 * another worker: the one where the group's first child parted. In that case base and handle identify the task.
 *
 * Two tasks can be mistaken for each other if they were born on the same worker at the same address, and their spawners
 * have the same address, too. Such a mistake can happen only if the first task took the lock before it parted.
 */
struct uat_mutex_holder {
    uintptr_t base, handle;
    uint64_t birth; /* the record's name, or (rank << 48) | 1. Without a spawner: the name of a data-flow task's entry,
                     * or 0 for a root */
};

/* If the mutex is biased, go to its home. Returns the identity of the calling task. what: the public call, for
 * messages. */
struct uat_mutex_holder uat_mutex_running(uat_mutex_t m, const char *what);

/* Hand the mutex over to the task that has waited longest, or free it. Ends the job unless `holder` holds the mutex. If
 * the mutex is biased, the caller must be on its home. May also be called on the scheduler's side. */
void uat_mutex_release(uat_mutex_t m, struct uat_mutex_holder holder, const char *what);

/* The mutexes that are lost with a worker: mutexes that its tasks hold, and mutexes whose home it was. */

/* List in `text` this worker's mutexes that tasks of `rank` hold, and the mutexes of `rank` that tasks of this worker
 * wait for. Returns false if there are none. A holder counts as a task of the rank where it locked the mutex, even if
 * the holder has moved since. If a mutex was handed to a task that has not run since, this function reports the task to
 * which the mutex was handed before that. Called in a signal handler, as a uat_lost_fn. */
bool uat_mutex_lost(int rank, char *text, size_t size);

#endif
