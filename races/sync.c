/* SPDX-License-Identifier: MIT */
/* The objects of sync.h. A call that lets another task continue releases the object's name; a call that continues
 * acquires it. Edges of a channel or a semaphore lead from all earlier releases to each acquire, so they may hide a
 * race; they never invent one. */
#include "include/uat/sync.h"

#include "include/uat.h"
#include "include/uat/channel.h"
#include "include/uat/limit.h"
#include "include/uat/lock.h"
#include "include/uat/semaphore.h"
#include "races/start.h"

/* Wrap a call: do `before` ahead of it and `after` following it if a task makes the call. */
#define WRAP(type, name, params, args, before, after)                                                                  \
    type __real_##name params;                                                                                         \
    type __wrap_##name params;                                                                                         \
    type __wrap_##name params                                                                                          \
    {                                                                                                                  \
        struct uat_races_task *me = uat_races_running;                                                                 \
        bool watched = uat_races_in_task();                                                                            \
        if (watched) {                                                                                                 \
            before;                                                                                                    \
        }                                                                                                              \
        type r = __real_##name args;                                                                                   \
        uat_races_running = me;                                                                                        \
        if (watched) {                                                                                                 \
            after;                                                                                                     \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define WRAP_VOID(name, params, args, before, after)                                                                   \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        struct uat_races_task *me = uat_races_running;                                                                 \
        bool watched = uat_races_in_task();                                                                            \
        if (watched) {                                                                                                 \
            before;                                                                                                    \
        }                                                                                                              \
        __real_##name args;                                                                                            \
        uat_races_running = me;                                                                                        \
        if (watched) {                                                                                                 \
            after;                                                                                                     \
        }                                                                                                              \
    }
#define NOTHING    (void)0
#define RELEASE(x) uat_races_release((x).object)
#define ACQUIRE(x) uat_races_acquire((x).object)
/* After a call that may have waited, and so may have moved the task. */
#define WAITED(x) (uat_races_next_part(me), ACQUIRE(x))
/* The other direction of a channel: a place that a receive has emptied. */
#define RELEASE_ROOM(x) uat_races_release((x).object ^ 1)
#define ACQUIRE_ROOM(x) uat_races_acquire((x).object ^ 1)
/* What the readers of a shared mutex have done. A writer comes after them, but readers do not order each other. */
#define ACQUIRE_READS(x) uat_races_acquire((x).object ^ 1)

static void lock(uat_mutex_t m)
{
    struct uat_races_task *me = uat_races_running;
    me->locks = uat_races_locks_add(me->locks, uat_races_number_of(m.object));
    uat_races_next_strand(me);
}

static void unlock(uat_mutex_t m)
{
    struct uat_races_task *me = uat_races_running;
    me->locks = uat_races_locks_remove(me->locks, uat_races_number_of(m.object));
    uat_races_next_strand(me);
}

static void select_releases(const uat_case_t *c, int n)
{
    for (int i = 0; i < n; i++)
        uat_races_release(c[i].channel.object ^ (uint64_t)!c[i].sends);
}

static void select_acquires(const uat_case_t *c, int chosen)
{
    if (chosen >= 0)
        uat_races_acquire(c[chosen].channel.object ^ (uint64_t)(c[chosen].sends != 0));
}

WRAP_VOID(uat_future_set, (uat_future_t f, const void *v), (f, v), RELEASE(f), NOTHING)
WRAP_VOID(uat_future_get, (uat_future_t f, void *v), (f, v), NOTHING, WAITED(f))
WRAP(int, uat_future_try_get, (uat_future_t f, void *v), (f, v), NOTHING, if (r == 0) ACQUIRE(f))
WRAP_VOID(uat_mutex_lock, (uat_mutex_t m), (m), NOTHING, (uat_races_next_part(me), lock(m)))
WRAP(int, uat_mutex_try_lock, (uat_mutex_t m), (m), NOTHING, if (r == 0) lock(m))
WRAP_VOID(uat_mutex_unlock, (uat_mutex_t m), (m), NOTHING, unlock(m))
WRAP_VOID(uat_condition_wait, (uat_condition_t c, uat_mutex_t m), (c, m), NOTHING, WAITED(c))
WRAP_VOID(uat_condition_signal, (uat_condition_t c), (c), RELEASE(c), NOTHING)
WRAP_VOID(uat_condition_broadcast, (uat_condition_t c), (c), RELEASE(c), NOTHING)
WRAP_VOID(uat_semaphore_acquire, (uat_semaphore_t s), (s), NOTHING, WAITED(s))
WRAP(int, uat_semaphore_try_acquire, (uat_semaphore_t s), (s), NOTHING, if (r == 0) ACQUIRE(s))
WRAP_VOID(uat_semaphore_release, (uat_semaphore_t s, uint64_t n), (s, n), RELEASE(s), NOTHING)
WRAP_VOID(uat_latch_count_down, (uat_latch_t l, uint64_t n), (l, n), RELEASE(l), NOTHING)
WRAP_VOID(uat_latch_wait, (uat_latch_t l), (l), NOTHING, WAITED(l))
WRAP(int, uat_latch_try_wait, (uat_latch_t l), (l), NOTHING, if (r == 0) ACQUIRE(l))
WRAP_VOID(uat_shared_mutex_lock, (uat_shared_mutex_t m), (m), NOTHING, (WAITED(m), ACQUIRE_READS(m)))
WRAP_VOID(uat_shared_mutex_lock_shared, (uat_shared_mutex_t m), (m), NOTHING, WAITED(m))
WRAP(int, uat_shared_mutex_try_lock, (uat_shared_mutex_t m), (m), NOTHING, if (r == 0)(ACQUIRE(m), ACQUIRE_READS(m)))
WRAP(int, uat_shared_mutex_try_lock_shared, (uat_shared_mutex_t m), (m), NOTHING, if (r == 0) ACQUIRE(m))
WRAP_VOID(uat_shared_mutex_unlock, (uat_shared_mutex_t m), (m), RELEASE(m), NOTHING)
WRAP_VOID(uat_shared_mutex_unlock_shared, (uat_shared_mutex_t m), (m), uat_races_release((m).object ^ 1), NOTHING)
WRAP(int, uat_task_barrier_wait, (uat_task_barrier_t b), (b), RELEASE(b), WAITED(b))
WRAP(int, uat_channel_send, (uat_channel_t c, const void *v), (c, v), RELEASE(c),
     (uat_races_next_part(me), ACQUIRE_ROOM(c)))
WRAP(int, uat_channel_receive, (uat_channel_t c, void *v), (c, v), RELEASE_ROOM(c), WAITED(c))
WRAP(int, uat_channel_try_send, (uat_channel_t c, const void *v), (c, v), RELEASE(c), ACQUIRE_ROOM(c))
WRAP(int, uat_channel_try_receive, (uat_channel_t c, void *v), (c, v), RELEASE_ROOM(c), ACQUIRE(c))
WRAP_VOID(uat_channel_close, (uat_channel_t c), (c), RELEASE(c), NOTHING)
WRAP(int, uat_select, (uat_case_t * c, int n), (c, n), select_releases(c, n),
     (uat_races_next_part(me), select_acquires(c, r)))
WRAP(int, uat_try_select, (uat_case_t * c, int n), (c, n), select_releases(c, n), select_acquires(c, r))
WRAP_VOID(uat_sleep_for, (uint64_t ns), (ns), NOTHING, uat_races_next_part(me))
WRAP_VOID(uat_yield, (void), (), NOTHING, uat_races_next_part(me))
WRAP_VOID(uat_migrate, (int rank), (rank), NOTHING, uat_races_next_part(me))

/* A later object may have the name. */
#define WRAP_DESTROY(kind)                                                                                             \
    void __real_uat_##kind##_destroy(uat_##kind##_t x);                                                                \
    void __wrap_uat_##kind##_destroy(uat_##kind##_t x);                                                                \
    void __wrap_uat_##kind##_destroy(uat_##kind##_t x)                                                                 \
    {                                                                                                                  \
        __real_uat_##kind##_destroy(x);                                                                                \
        if (uat_races_active) {                                                                                        \
            uat_races_forget(x.object);                                                                                \
            uat_races_forget(x.object ^ 1);                                                                            \
        }                                                                                                              \
    }
WRAP_DESTROY(future)
WRAP_DESTROY(mutex)
WRAP_DESTROY(condition)
WRAP_DESTROY(semaphore)
WRAP_DESTROY(latch)
WRAP_DESTROY(shared_mutex)
WRAP_DESTROY(task_barrier)
WRAP_DESTROY(channel)

/* uat_condition_wait_for() is inline: it unlocks, sleeps and locks. */
void uat_races_condition(uint64_t object)
{
    if (uat_races_in_task())
        uat_races_acquire(object);
}
