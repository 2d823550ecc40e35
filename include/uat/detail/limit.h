/* SPDX-License-Identifier: MIT */
/* Waits with a time limit. Included by uat/limit.h, which describes them. */
#ifndef UAT_DETAIL_LIMIT_H
#define UAT_DETAIL_LIMIT_H

#include <errno.h>

#include "../checkpoint.h"
#include "../limit.h" /* needed if a program includes this header first */
#include "uat/detail/races.h"

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
    UAT_DETAIL_CREATED(c.object);
    UAT_DETAIL_CREATED(m.object);
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
    UAT_DETAIL_CREATED(f.object);
    UAT_DETAIL_UNTIL(uat_future_try_get(f, value));
}

UAT_INLINE int uat_mutex_lock_for(uat_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_CREATED(m.object);
    UAT_DETAIL_UNTIL(uat_mutex_try_lock(m));
}

UAT_INLINE int uat_shared_mutex_lock_for(uat_shared_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_CREATED(m.object);
    UAT_DETAIL_UNTIL(uat_shared_mutex_try_lock(m));
}

UAT_INLINE int uat_shared_mutex_lock_shared_for(uat_shared_mutex_t m, uint64_t ns)
{
    UAT_DETAIL_CREATED(m.object);
    UAT_DETAIL_UNTIL(uat_shared_mutex_try_lock_shared(m));
}

UAT_INLINE int uat_semaphore_acquire_for(uat_semaphore_t s, uint64_t ns)
{
    UAT_DETAIL_CREATED(s.object);
    UAT_DETAIL_UNTIL(uat_semaphore_try_acquire(s));
}

UAT_INLINE int uat_latch_wait_for(uat_latch_t l, uint64_t ns)
{
    UAT_DETAIL_CREATED(l.object);
    UAT_DETAIL_UNTIL(uat_latch_try_wait(l));
}

UAT_INLINE int uat_channel_send_for(uat_channel_t c, const void *value, uint64_t ns)
{
    UAT_DETAIL_CREATED(c.object);
    UAT_DETAIL_UNTIL(uat_channel_try_send(c, value));
}

UAT_INLINE int uat_channel_receive_for(uat_channel_t c, void *value, uint64_t ns)
{
    UAT_DETAIL_CREATED(c.object);
    UAT_DETAIL_UNTIL(uat_channel_try_receive(c, value));
}

UAT_INLINE int uat_select_for(uat_case_t *cases, int n, uint64_t ns)
{
    UAT_DETAIL_UNTIL(uat_try_select(cases, n));
}

#undef UAT_DETAIL_UNTIL

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
