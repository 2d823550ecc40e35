/* SPDX-License-Identifier: MIT */
/* Critical sections and calls that happen once. Included by uat/lock.h, which describes them. */
#ifndef UAT_DETAIL_LOCK_H
#define UAT_DETAIL_LOCK_H

#include "../lock.h" /* needed if a program includes this header first */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

UAT_INLINE uat_critical_t uat_critical_begin(const char *name)
{
    uat_critical_t critical;
    critical.mutex = uat_mutex_named(name);
    critical.inside = 1;
    uat_mutex_lock(critical.mutex);
    return critical;
}

UAT_INLINE void uat_critical_end(uat_critical_t *critical)
{
    UAT_DETAIL_CREATED(critical->mutex.object);
    uat_mutex_unlock(critical->mutex);
}

UAT_INLINE uat_once_t uat_once_create(void)
{
    uat_once_t once;
    once.done = uat_future_create(1); /* its value has no meaning */
    once.mutex = uat_mutex_create();
    return once;
}

UAT_INLINE void uat_once_call(uat_once_t once, void (*fn)(void *arg), void *arg)
{
    char done = 0;
    UAT_DETAIL_CREATED(once.done.object);
    if (uat_future_try_get(once.done, &done) == 0)
        return;
    uat_mutex_lock(once.mutex);
    if (uat_future_try_get(once.done, &done)) { /* look again: the task that held the mutex may have called it */
        fn(arg);
        uat_future_set(once.done, &done);
    }
    uat_mutex_unlock(once.mutex);
}

UAT_INLINE void uat_once_destroy(uat_once_t once)
{
    UAT_DETAIL_CREATED(once.done.object);
    uat_future_destroy(once.done);
    uat_mutex_destroy(once.mutex);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
