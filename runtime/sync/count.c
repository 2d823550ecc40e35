/* SPDX-License-Identifier: MIT */
/* The objects that count: semaphores, latches, task barriers. */
#include <errno.h>

#include "base/word.h"
#include "include/uat/semaphore.h"
#include "include/uat/sync.h"
#include "runtime/sync/waitobj.h"
#include "runtime/job/fatal.h"

enum { COUNT, MEMBERS }; /* indices of struct uat_waitobj's words */

/* Free the guard, and wake all waiters. */
static void open_gate(uint64_t object, enum uat_park_kind kind)
{
    struct uat_waitobj *o = uat_waitobj_held();
    uint64_t head = o->head, tail = o->tail;
    o->head = o->tail = 0;
    uat_waitobj_leave(object, 0);
    uat_waitobj_wake_all(head, tail, kind, 0, NULL, 0);
}

uat_semaphore_t uat_semaphore_create(uint64_t count)
{
    const uint64_t word[4] = {[COUNT] = count};
    return (uat_semaphore_t){uat_waitobj_create(UAT_PARK_SEMAPHORE, 0, word)};
}

/* With the guard held: take one unit if there is one. Returns the number taken. */
static int take_one(struct uat_waitobj *o)
{
    if (o->word[COUNT] == 0)
        return 0;
    o->word[COUNT]--;
    return 1;
}

int uat_semaphore_try_acquire(uat_semaphore_t s)
{
    int taken = take_one(uat_waitobj_take(s.object, UAT_PARK_SEMAPHORE, "uat_semaphore_try_acquire()"));
    uat_waitobj_leave(s.object, 0);
    if (taken)
        return 0;
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

void uat_semaphore_acquire(uat_semaphore_t s)
{
    if (take_one(uat_waitobj_take(s.object, UAT_PARK_SEMAPHORE, "uat_semaphore_acquire()")))
        uat_waitobj_leave(s.object, 0);
    else
        uat_waitobj_wait_only(s.object, UAT_PARK_SEMAPHORE);
}

void uat_semaphore_release(uat_semaphore_t s, uint64_t n)
{
    for (;;) {
        struct uat_waitobj *o = uat_waitobj_take(s.object, UAT_PARK_SEMAPHORE, "uat_semaphore_release()");
        struct uat_waking waking;
        bool any = n > 0 && uat_waitobj_unqueue(&waking);
        if (!any && n > UINT64_MAX - o->word[COUNT])
            uat_fatal("uat_semaphore_release(): %llu units to a semaphore at %llu; a semaphore holds at most 2^64 - 1",
                      (unsigned long long)n, (unsigned long long)o->word[COUNT]);
        if (!any) /* no task waits for the other units: keep them */
            o->word[COUNT] += n;
        uat_waitobj_leave(s.object, 0);
        if (!any)
            return;
        uat_waitobj_wake(&waking, UAT_PARK_SEMAPHORE, 0, NULL, 0);
        n--;
    }
}

void uat_semaphore_destroy(uat_semaphore_t s)
{
    uat_waitobj_destroy(s.object, UAT_PARK_SEMAPHORE, "uat_semaphore_destroy()");
}

uat_latch_t uat_latch_create(uint64_t count)
{
    const uint64_t word[4] = {[COUNT] = count};
    return (uat_latch_t){uat_waitobj_create(UAT_PARK_LATCH, 0, word)};
}

void uat_latch_count_down(uat_latch_t l, uint64_t n)
{
    struct uat_waitobj *o = uat_waitobj_take(l.object, UAT_PARK_LATCH, "uat_latch_count_down()");
    if (n > o->word[COUNT])
        uat_fatal(
            "uat_latch_count_down(): %llu from a latch at %llu; it was counted down more often than it was created for",
            (unsigned long long)n, (unsigned long long)o->word[COUNT]);
    o->word[COUNT] -= n;
    if (o->word[COUNT] == 0)
        open_gate(l.object, UAT_PARK_LATCH);
    else
        uat_waitobj_leave(l.object, 0);
}

int uat_latch_try_wait(uat_latch_t l)
{
    bool is_open = uat_waitobj_take(l.object, UAT_PARK_LATCH, "uat_latch_try_wait()")->word[COUNT] == 0;
    uat_waitobj_leave(l.object, 0);
    if (is_open)
        return 0;
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

void uat_latch_wait(uat_latch_t l)
{
    if (uat_waitobj_take(l.object, UAT_PARK_LATCH, "uat_latch_wait()")->word[COUNT] == 0)
        uat_waitobj_leave(l.object, 0);
    else
        uat_waitobj_wait_only(l.object, UAT_PARK_LATCH);
}

void uat_latch_destroy(uat_latch_t l)
{
    uat_waitobj_destroy(l.object, UAT_PARK_LATCH, "uat_latch_destroy()");
}

uat_task_barrier_t uat_task_barrier_create(uint64_t n)
{
    if (n == 0)
        uat_fatal("uat_task_barrier_create(): a task barrier has at least one member");
    const uint64_t word[4] = {[MEMBERS] = n};
    return (uat_task_barrier_t){uat_waitobj_create(UAT_PARK_BARRIER, 0, word)};
}

int uat_task_barrier_wait(uat_task_barrier_t g)
{
    struct uat_waitobj *o = uat_waitobj_take(g.object, UAT_PARK_BARRIER, "uat_task_barrier_wait()");
    if (o->word[COUNT] >= o->word[MEMBERS])
        uat_word_refuse(uat_waitobj_held_rank(), "the number of members that wait in a group", o->word[COUNT]);
    if (++o->word[COUNT] < o->word[MEMBERS])
        return uat_waitobj_wait_only(g.object, UAT_PARK_BARRIER);
    o->word[COUNT] = 0; /* reset for the next round, in which tasks queue again */
    open_gate(g.object, UAT_PARK_BARRIER);
    return 1;
}

void uat_task_barrier_destroy(uat_task_barrier_t g)
{
    uat_waitobj_destroy(g.object, UAT_PARK_BARRIER, "uat_task_barrier_destroy()");
}
