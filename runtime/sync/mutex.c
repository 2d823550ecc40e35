/* SPDX-License-Identifier: MIT */
/* Mutexes and condition variables. word[0]: locked; word[1], word[2]: what the holder is known by. */
#include <inttypes.h>

#include "include/uat/sync.h"
#include "runtime/memory/frame.h"
#include "runtime/sync/object.h"
#include "runtime/task/worker.h"
#include "runtime/watch/die.h"

enum { LOCKED, BASE, HANDLE };

uat_mutex_t uat_mutex_create(void)
{
    const uint64_t word[4] = {0};
    return (uat_mutex_t){uat_object_create(UAT_PARK_MUTEX, 0, word)};
}

/*
 * The running task, by its segment's begin and its spawner's handle. Both stay the same wherever it goes. Two tasks that are
 * alive at once differ, unless they run at the same addresses on two workers: then a wrong unlock is not found.
 */
struct holder {
    uintptr_t base, handle;
};

static struct holder running_task(void)
{
    if (uat_deque_size(&uat_worker.deque) == 0)
        return (struct holder){0};
    uintptr_t base = uat_deque_base(&uat_worker.deque);
    return (struct holder){base, (uintptr_t)uat_frame_at(base)->task};
}

static void note_holder(struct uat_object *m, struct holder holder)
{
    m->word[LOCKED] = 1;
    m->word[BASE] = holder.base;
    m->word[HANDLE] = holder.handle;
}

int uat_mutex_try_lock(uat_mutex_t m)
{
    struct uat_object *o = uat_object_take(m.object, UAT_PARK_MUTEX, "uat_mutex_try_lock()");
    int locked = o->word[LOCKED] == 0;
    if (locked)
        note_holder(o, running_task());
    uat_object_leave(m.object, 0);
    return locked;
}

void uat_mutex_lock(uat_mutex_t m)
{
    struct uat_object *o = uat_object_take(m.object, UAT_PARK_MUTEX, "uat_mutex_lock()");
    struct holder self = running_task();
    if (o->word[LOCKED]) {
        uat_object_wait(m.object, UAT_PARK_MUTEX, NULL, self.handle);
        return;
    }
    note_holder(o, self);
    uat_object_leave(m.object, 0);
}

/* Hand over to the task that has waited longest, or free the mutex. Also on the scheduler's side. */
static void release(uint64_t object, struct holder holder, const char *what)
{
    struct uat_object *o = uat_object_take(object, UAT_PARK_MUTEX, what);
    struct uat_waking waking;
    if (!o->word[LOCKED])
        uat_die("%s: mutex %" PRIx64 " of rank %d is not locked", what, object & ((UINT64_C(1) << 48) - 1),
                uat_object_rank(object));
    if (o->word[BASE] != holder.base || o->word[HANDLE] != holder.handle)
        uat_die("%s: mutex %" PRIx64 " of rank %d is held by another task", what, object & ((UINT64_C(1) << 48) - 1),
                uat_object_rank(object));
    bool any = uat_object_unqueue(&waking);
    o->word[LOCKED] = 0;
    if (any)
        note_holder(o, (struct holder){waking.base, waking.reply}); /* its handle is the tag it waits with */
    uat_object_leave(object, 0);
    waking.reply = 0;
    if (any)
        uat_object_wake(&waking, UAT_PARK_MUTEX, 0, NULL, 0);
}

void uat_mutex_unlock(uat_mutex_t m)
{
    release(m.object, running_task(), "uat_mutex_unlock()");
}

void uat_mutex_destroy(uat_mutex_t m)
{
    uat_object_destroy(m.object, UAT_PARK_MUTEX, "uat_mutex_destroy()");
}

uat_condition_t uat_condition_create(void)
{
    const uint64_t word[4] = {0};
    return (uat_condition_t){uat_object_create(UAT_PARK_CONDITION, 0, word)};
}

/* A wait for a condition: the mutex is released once the task is in the queue, so that no signal falls in between. */
struct condition_wait {
    struct uat_park wait;
    uint64_t mutex;
    struct holder holder;
};

static void park(struct uat_park *wait, uint64_t name)
{
    struct condition_wait w = *(struct condition_wait *)wait;
    uat_object_queue(name);
    uat_object_leave(w.wait.object, 0);
    release(w.mutex, w.holder, "uat_condition_wait()");
}

void uat_condition_wait(uat_condition_t c, uat_mutex_t m)
{
    uat_object_take(c.object, UAT_PARK_CONDITION, "uat_condition_wait()");
    struct condition_wait w = {.wait = {.kind = UAT_PARK_CONDITION, .object = c.object, .park = park},
                               .mutex = m.object,
                               .holder = running_task()};
    uat_park(&w.wait);
    uat_mutex_lock(m);
}

void uat_condition_signal(uat_condition_t c)
{
    uat_object_take(c.object, UAT_PARK_CONDITION, "uat_condition_signal()");
    struct uat_waking waking;
    bool any = uat_object_unqueue(&waking);
    uat_object_leave(c.object, 0);
    if (any)
        uat_object_wake(&waking, UAT_PARK_CONDITION, 0, NULL, 0);
}

void uat_condition_broadcast(uat_condition_t c)
{
    struct uat_object *o = uat_object_take(c.object, UAT_PARK_CONDITION, "uat_condition_broadcast()");
    uint64_t head = o->head, tail = o->tail;
    o->head = o->tail = 0;
    uat_object_leave(c.object, 0);
    uat_object_wake_all(head, tail, UAT_PARK_CONDITION, 0, NULL, 0);
}

void uat_condition_destroy(uat_condition_t c)
{
    uat_object_destroy(c.object, UAT_PARK_CONDITION, "uat_condition_destroy()");
}
