/* SPDX-License-Identifier: MIT */
/* Waits with a time limit, critical sections, calls that happen once, typed futures and channels. Included by
 * uat/sync.h, which describes them. */
#ifndef UAT_DETAIL_SYNC_H
#define UAT_DETAIL_SYNC_H

#include <errno.h>

#include "../checkpoint.h"
#include "uat/detail/races.h"
#include "../sync.h" /* needed if a program includes this header first */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

UAT_INLINE uat_limit_t uat_limit_begin(uint64_t ns)
{
    uat_limit_t limit;
    limit.left = ns;
    limit.passed = 0;
    limit.counted = uat_time_ns();
    limit.rank = uat_rank();
    limit.restarted = uat_restarted();
    return limit;
}

UAT_INLINE int uat_limit_wait(uat_limit_t *limit)
{
    uint64_t begin = uat_time_ns(), since = 0, ns, now;
    int rank = uat_rank(), restarted = uat_restarted();
    /* What the caller has done since counts, such as an attempt or the wait for a mutex, unless it is another clock. */
    if (rank == limit->rank && restarted == limit->restarted && begin > limit->counted)
        since = begin - limit->counted;
    limit->left -= since < limit->left ? since : limit->left;
    limit->passed += since;
    if (limit->left == 0)
        return -ETIMEDOUT;
    ns = limit->passed / 4;
    if (ns < UAT_LIMIT_FIRST_NS)
        ns = UAT_LIMIT_FIRST_NS;
    if (ns > UAT_LIMIT_LAST_NS)
        ns = UAT_LIMIT_LAST_NS;
    if (ns > limit->left)
        ns = limit->left;
    uat_sleep_for(ns);
    now = uat_time_ns();
    if (uat_rank() == rank && uat_restarted() == restarted && now - begin > ns) /* otherwise it is another clock */
        ns = now - begin;
    limit->left -= ns < limit->left ? ns : limit->left;
    limit->passed += ns;
    limit->counted = now;
    limit->rank = uat_rank();
    limit->restarted = uat_restarted();
    return 0;
}

UAT_INLINE int uat_condition_wait_for(uat_condition_t c, uat_mutex_t m, uat_limit_t *limit)
{
    int rc;
    (void)c;
    if (limit->left == 0)
        return -ETIMEDOUT;
    uat_mutex_unlock(m);
    rc = uat_limit_wait(limit);
    uat_mutex_lock(m);
    UAT_RACES_CONDITION(c.object);
    return rc;
}

/* Repeat `attempt`, an expression, until it is no longer -EAGAIN or the limit is over. */
#define UAT_DETAIL_UNTIL(attempt)                                                                                      \
    uat_limit_t uat_until = uat_limit_begin(ns);                                                                       \
    int uat_result;                                                                                                    \
    while ((uat_result = (attempt)) == -EAGAIN)                                                                        \
        if (uat_limit_wait(&uat_until))                                                                                \
            return -ETIMEDOUT;                                                                                         \
    return uat_result

UAT_INLINE int uat_future_get_for(uat_future_t f, void *value, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_future_try_get(f, value));
}

UAT_INLINE int uat_mutex_lock_for(uat_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_mutex_try_lock(m));
}

UAT_INLINE int uat_shared_mutex_lock_for(uat_shared_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_shared_mutex_try_lock(m));
}

UAT_INLINE int uat_shared_mutex_lock_shared_for(uat_shared_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_shared_mutex_try_lock_shared(m));
}

UAT_INLINE int uat_semaphore_acquire_for(uat_semaphore_t s, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_semaphore_try_acquire(s));
}

UAT_INLINE int uat_latch_wait_for(uat_latch_t l, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_latch_try_wait(l));
}

UAT_INLINE int uat_channel_send_for(uat_channel_t c, const void *value, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_channel_try_send(c, value));
}

UAT_INLINE int uat_channel_receive_for(uat_channel_t c, void *value, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_channel_try_receive(c, value));
}

UAT_INLINE int uat_select_for(uat_case_t *cases, int n, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_try_select(cases, n));
}

#undef UAT_DETAIL_UNTIL

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
    uat_mutex_unlock(critical->mutex);
}

UAT_INLINE uat_once_t uat_once_create(void)
{
    uat_once_t once;
    once.done = uat_future_create(1); /* its value has no meaning */
    once.mutex = uat_mutex_create();
    return once;
}

UAT_INLINE void uat_call_once(uat_once_t once, void (*fn)(void *arg), void *arg)
{
    char done = 0;
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
    uat_future_destroy(once.done);
    uat_mutex_destroy(once.mutex);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#define UAT_FUTURE(type, name)                                                                                         \
    typedef struct {                                                                                                   \
        uat_future_t future;                                                                                           \
    } name##_future;                                                                                                   \
    UAT_UNUSED static inline name##_future name##_create(void)                                                         \
    {                                                                                                                  \
        name##_future uat_f;                                                                                           \
        uat_f.future = uat_future_create(sizeof(type));                                                                \
        return uat_f;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_set(name##_future uat_f, type uat_value)                                      \
    {                                                                                                                  \
        uat_future_set(uat_f.future, &uat_value);                                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline type name##_get(name##_future uat_f)                                                      \
    {                                                                                                                  \
        type uat_value;                                                                                                \
        uat_future_get(uat_f.future, &uat_value);                                                                      \
        return uat_value;                                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_get(name##_future uat_f, type *uat_value)                                  \
    {                                                                                                                  \
        return uat_future_try_get(uat_f.future, uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_future uat_f)                                                  \
    {                                                                                                                  \
        uat_future_destroy(uat_f.future);                                                                              \
    }                                                                                                                  \
    typedef name##_future name##_uat_future_is_defined

#define UAT_CHANNEL(type, name)                                                                                        \
    typedef struct {                                                                                                   \
        uat_channel_t channel;                                                                                         \
    } name##_channel;                                                                                                  \
    UAT_UNUSED static inline name##_channel name##_create(size_t uat_capacity)                                         \
    {                                                                                                                  \
        name##_channel uat_c;                                                                                          \
        uat_c.channel = uat_channel_create(sizeof(type), uat_capacity);                                                \
        return uat_c;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline name##_channel name##_named(const char *uat_name, size_t uat_capacity)                    \
    {                                                                                                                  \
        name##_channel uat_c;                                                                                          \
        uat_c.channel = uat_channel_named(uat_name, sizeof(type), uat_capacity);                                       \
        return uat_c;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_send(name##_channel uat_c, type uat_value)                                     \
    {                                                                                                                  \
        return uat_channel_send(uat_c.channel, &uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_send(name##_channel uat_c, type uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_try_send(uat_c.channel, &uat_value);                                                        \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_receive(name##_channel uat_c, type *uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_receive(uat_c.channel, uat_value);                                                          \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_receive(name##_channel uat_c, type *uat_value)                             \
    {                                                                                                                  \
        return uat_channel_try_receive(uat_c.channel, uat_value);                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_close(name##_channel uat_c)                                                   \
    {                                                                                                                  \
        uat_channel_close(uat_c.channel);                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_channel uat_c)                                                 \
    {                                                                                                                  \
        uat_channel_destroy(uat_c.channel);                                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_sends(name##_channel uat_c, type *uat_value)                            \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 1, UAT_CAST(void *, uat_value), 0};                                         \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_receives(name##_channel uat_c, type *uat_value)                         \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 0, UAT_CAST(void *, uat_value), 0};                                         \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    typedef name##_channel name##_uat_channel_is_defined

#endif
