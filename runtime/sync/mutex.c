/* SPDX-License-Identifier: MIT */
/*
 * Mutexes and condition variables. word[0] says where the mutex was locked; the other words identify the holder. A
 * holder that was handed the mutex while it waited WRITEs its new rank to the place after the words, without the guard.
 * Only messages use that rank (lost.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/word.h"
#include "include/uat/sync.h"
#include "runtime/segment/frame.h"
#include "runtime/job/self.h"
#include "runtime/sync/mutex.h"
#include "runtime/sched/worker.h"
#include "runtime/job/fatal.h"

enum { LOCKED = UAT_MUTEX_LOCKED, BASE, HANDLE, BIRTH };

uat_mutex_t uat_mutex_create(void)
{
    const uint64_t word[4] = {0};
    uint64_t name = uat_waitobj_create(UAT_PARK_MUTEX, sizeof(uint64_t), word);
    *uat_mutex_resumed_at(uat_waitobj_address(name)) = 0;
    return (uat_mutex_t){name};
}

/*
 * The identity of a task that holds a mutex. After the task has parted from its spawner, its join record's name
 * identifies it; no other living task has that name. Before that, three things identify it: its segment's base, its
 * spawner's handle and the worker where it was born. The task is still on that worker, and its record will be that
 * worker's, so this identity stays the same wherever the task goes.
 *
 * Two tasks that were born on one worker at one address, of spawners at one address, are confused if the first took the
 * lock before it parted.
 */
struct holder {
    uintptr_t base, handle;
    uint64_t birth; /* the record's name, or (rank << 48) | 1; 0 for a root, which has no spawner and no record */
};

#define UNPARTED UINT64_C(1)

static struct holder running_task(void)
{
    const struct uat_deque *deque = &uat_worker.deque;
    if (uat_deque_size(deque) == 0)
        return (struct holder){0};
    uintptr_t base = uat_deque_base(deque);
    const struct uat_frame *frame = uat_frame_at(base);
    bool parted = (deque->top[-1] & UAT_TAG_MASK) != UAT_TAG_PRIVATE; /* otherwise frame->record is undefined */
    uint64_t birth = parted ? frame->record : (uint64_t)uat_self.rank << 48 | UNPARTED;
    return (struct holder){base, (uintptr_t)frame->task, frame->task ? birth : 0};
}

/* Store the holder in the words. where: rank + 1 of the worker that runs it, or UAT_MUTEX_HANDED. */
static void note_holder(struct uat_waitobj *m, struct holder holder, uint64_t where)
{
    m->word[LOCKED] = where;
    m->word[BASE] = holder.base;
    m->word[HANDLE] = holder.handle;
    m->word[BIRTH] = holder.birth;
}

static bool is_holder(const struct uat_waitobj *m, struct holder task)
{
    uint64_t birth = m->word[BIRTH];
    if (birth != 0 && (uint32_t)birth != UNPARTED) /* a parted holder is identified by its record alone */
        return birth == task.birth;
    return m->word[BASE] == task.base && m->word[HANDLE] == task.handle && birth >> 48 == task.birth >> 48;
}

int uat_mutex_try_lock(uat_mutex_t m)
{
    struct uat_waitobj *o = uat_waitobj_take(m.object, UAT_PARK_MUTEX, "uat_mutex_try_lock()");
    int locked = o->word[LOCKED] == 0;
    if (locked)
        note_holder(o, running_task(), (uint64_t)uat_self.rank + 1);
    uat_waitobj_leave(m.object, 0);
    if (locked)
        return 0;
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

/* A waiter has parted from its spawner. Its record's name becomes the tag by which it will be known as the holder. A
 * root has no record, and is known by its base. */
static void park_locker(struct uat_park *wait, uint64_t name)
{
    struct uat_parked *parked = (struct uat_parked *)(void *)uat_waitobj_address(name);
    const struct uat_frame *frame = uat_frame_at(parked->base); /* it stays in place until the call returns */
    parked->reply = frame->task ? frame->record : 0;
    uat_waitobj_park(wait, name);
}

/*
 * Note that the task to which the mutex was handed continues on this worker. The WRITE must complete first. Otherwise
 * the task might be stolen and unlock elsewhere, and the mutex might be destroyed. A WRITE in flight, or one that the
 * adapter repeats, would then overwrite the block's next user.
 */
static __attribute__((noinline)) void note_resumed(uint64_t mutex)
{
    uint64_t *at = uat_mutex_resumed_at(uat_waitobj_address(mutex)), where = (uint64_t)uat_self.rank + 1;
    if (uat_waitobj_is_near(mutex)) {
        /* Relaxed: it publishes no other data; the peer is uat_mutex_lost() in a signal handler. */
        __atomic_store_n(at, where, __ATOMIC_RELAXED);
        return;
    }
    uat_sync_staging()->word = where;
    struct uat_op op = uat_op_write(&uat_sync_staging()->word, at, sizeof(where));
    uat_check(uat_transport_do(uat_self.transport, uat_waitobj_rank(mutex), &op, 1));
}

void uat_mutex_lock(uat_mutex_t m)
{
    struct uat_waitobj *o = uat_waitobj_take(m.object, UAT_PARK_MUTEX, "uat_mutex_lock()");
    if (o->word[LOCKED]) {
        uint64_t locked = o->word[LOCKED];
        if (locked > (uint64_t)uat_self.size && locked != UAT_MUTEX_HANDED)
            uat_word_refuse(uat_waitobj_held_rank(), "the holder of a mutex", locked);
        struct uat_park wait = {.kind = UAT_PARK_MUTEX,
                                .object = m.object,
                                .holder = locked == UAT_MUTEX_HANDED ? 0 : (uint32_t)locked,
                                .park = park_locker};
        uat_park(&wait);
        note_resumed(m.object);
        return;
    }
    note_holder(o, running_task(), (uint64_t)uat_self.rank + 1);
    uat_waitobj_leave(m.object, 0);
}

/* Hand the mutex over to the task that has waited longest, or free it. Also called on the scheduler's side. */
static void release(uint64_t object, struct holder holder, const char *what)
{
    struct uat_waitobj *o = uat_waitobj_take(object, UAT_PARK_MUTEX, what);
    struct uat_waking waking;
    if (!o->word[LOCKED])
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is not locked", what, object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(object));
    if (!is_holder(o, holder))
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is held by another task", what, object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(object));
    bool any = uat_waitobj_unqueue(&waking);
    o->word[LOCKED] = 0;
    if (any) /* the waiter's tag identifies the new holder */
        note_holder(o, (struct holder){.base = waking.base, .birth = waking.reply}, UAT_MUTEX_HANDED);
    uat_waitobj_leave(object, 0);
    waking.reply = 0;
    if (any)
        uat_waitobj_wake(&waking, UAT_PARK_MUTEX, 0, NULL, 0);
}

void uat_mutex_unlock(uat_mutex_t m)
{
    release(m.object, running_task(), "uat_mutex_unlock()");
}

void uat_mutex_destroy(uat_mutex_t m)
{
    static const char what[] = "uat_mutex_destroy()";
    const struct uat_waitobj *o = uat_waitobj_take(m.object, UAT_PARK_MUTEX, what);
    if (o->word[LOCKED] && !o->head)
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is locked", what, m.object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(m.object));
    uat_waitobj_end(m.object, o, UAT_PARK_MUTEX, what);
}

uat_condition_t uat_condition_create(void)
{
    const uint64_t word[4] = {0};
    return (uat_condition_t){uat_waitobj_create(UAT_PARK_CONDITION, 0, word)};
}

/* A wait for a condition. The mutex is released after the task is queued, so that no signal is lost in between. */
struct condition_wait {
    struct uat_park wait;
    uint64_t mutex;
    struct holder holder;
};

static void park(struct uat_park *wait, uint64_t name)
{
    struct condition_wait w = *(struct condition_wait *)wait;
    uat_waitobj_queue(name);
    uat_waitobj_leave(w.wait.object, 0);
    release(w.mutex, w.holder, "uat_condition_wait()");
}

void uat_condition_wait(uat_condition_t c, uat_mutex_t m)
{
    uat_waitobj_take(c.object, UAT_PARK_CONDITION, "uat_condition_wait()");
    struct condition_wait w = {.wait = {.kind = UAT_PARK_CONDITION, .object = c.object, .park = park},
                               .mutex = m.object,
                               .holder = running_task()};
    uat_park(&w.wait);
    uat_mutex_lock(m);
}

void uat_condition_signal(uat_condition_t c)
{
    uat_waitobj_take(c.object, UAT_PARK_CONDITION, "uat_condition_signal()");
    struct uat_waking waking;
    bool any = uat_waitobj_unqueue(&waking);
    uat_waitobj_leave(c.object, 0);
    if (any)
        uat_waitobj_wake(&waking, UAT_PARK_CONDITION, 0, NULL, 0);
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
