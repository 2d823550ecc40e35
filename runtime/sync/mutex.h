/* SPDX-License-Identifier: MIT */
/* Where a mutex's holder is, for messages about a worker that was lost. */
#ifndef UAT_SYNC_MUTEX_H
#define UAT_SYNC_MUTEX_H

#include "runtime/sync/waitobj.h"

enum { UAT_MUTEX_LOCKED /* index of the word with 0, rank + 1 of where the mutex was locked, or UAT_MUTEX_HANDED */ };

#define UAT_MUTEX_HANDED                                                                                               \
    (UINT64_C(1) << 32) /* handed to a waiting task: uat_mutex_resumed_at() says where that task continues */

/* rank + 1 of the worker that resumed the task to which the mutex was handed last. The resuming worker WRITEs it. */
static inline uint64_t *uat_mutex_resumed_at(struct uat_waitobj *m)
{
    return (uint64_t *)(void *)m->data;
}

#endif
