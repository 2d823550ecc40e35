/* SPDX-License-Identifier: MIT */
/* Where the holder of a mutex is, for messages about a worker that was lost. */
#ifndef UAT_SYNC_MUTEX_H
#define UAT_SYNC_MUTEX_H

#include "runtime/sync/object.h"

enum { UAT_MUTEX_LOCKED /* of struct uat_object's words: 0, rank + 1 of where it was locked, or UAT_MUTEX_HANDED */ };

#define UAT_MUTEX_HANDED (UINT64_C(1) << 32) /* handed to a task that waited: the next word says where that goes on */

/* rank + 1 of where the task went on to which the mutex was handed last; WRITE of that worker. */
static inline uint64_t *uat_mutex_resumed_at(struct uat_object *m)
{
    return (uint64_t *)(void *)m->data;
}

#endif
