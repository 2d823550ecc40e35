/* SPDX-License-Identifier: MIT */
/* Condition variables. A waiter that holds a biased mutex is tagged with the mutex, so that the waiter can resume on
 * the mutex's home. */
#include <stdbool.h>

#include "include/uat/sync.h"
#include "runtime/job/self.h"
#include "runtime/sync/mutex.h"

uat_condition_t uat_condition_create(void)
{
    const uint64_t word[4] = {0};
    return (uat_condition_t){uat_waitobj_create(UAT_PARK_CONDITION, 0, word)};
}

/* A wait for a condition. The mutex is released after the task is queued, so that no signal is lost. */
struct condition_wait {
    struct uat_park wait;
    uat_mutex_t mutex;
    struct uat_mutex_holder holder;
};

static void park(struct uat_park *wait, uint64_t name)
{
    struct condition_wait w = *(struct condition_wait *)wait;
    uat_waitobj_queue(name);
    uat_waitobj_leave(w.wait.object, 0);
    uat_mutex_release(w.mutex, w.holder, "uat_condition_wait()");
}

void uat_condition_wait(uat_condition_t c, uat_mutex_t m)
{
    static const char what[] = "uat_condition_wait()";
    struct uat_mutex_holder holder = uat_mutex_running(m, what); /* do this first, because it may migrate the task */
    uat_waitobj_take(c.object, UAT_PARK_CONDITION, what);
    struct condition_wait w = {.wait = {.kind = UAT_PARK_CONDITION,
                                        .object = c.object,
                                        .tag = uat_mutex_is_biased(m) ? m.object : 0,
                                        .park = park},
                               .mutex = m,
                               .holder = holder};
    uat_park(&w.wait);
    uat_mutex_lock(m);
}

/* Wake a waiter. The waiter's tag is its biased mutex, or 0. If this worker is the mutex's home, the waiter resumes
 * here. */
static void wake(struct uat_waking *waking)
{
    const struct uat_ready_task task = {.sp = waking->sp, .base = waking->base, .where = waking->name};
    if (waking->reply && uat_waitobj_rank(waking->reply) == uat_self.rank) {
        uat_park_ready_here(&task, UAT_PARK_CONDITION);
        return;
    }
    waking->reply = 0;
    uat_waitobj_wake(waking, UAT_PARK_CONDITION, 0, NULL, 0);
}

void uat_condition_signal(uat_condition_t c)
{
    uat_waitobj_take(c.object, UAT_PARK_CONDITION, "uat_condition_signal()");
    struct uat_waking waking;
    bool any = uat_waitobj_unqueue(&waking);
    uat_waitobj_leave(c.object, 0);
    if (any)
        wake(&waking);
}

void uat_condition_broadcast(uat_condition_t c)
{
    struct uat_waitobj *o = uat_waitobj_take(c.object, UAT_PARK_CONDITION, "uat_condition_broadcast()");
    uint64_t head = o->head, tail = o->tail;
    o->head = o->tail = 0;
    uat_waitobj_leave(c.object, 0);
    uat_waitobj_wake_all(head, tail, UAT_PARK_CONDITION, 0, NULL, 0);
}

void uat_condition_destroy(uat_condition_t c)
{
    uat_waitobj_destroy(c.object, UAT_PARK_CONDITION, "uat_condition_destroy()");
}
