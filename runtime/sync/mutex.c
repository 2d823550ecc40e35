/* SPDX-License-Identifier: MIT */
/*
 * Mutexes. word[0] says where the mutex was locked; the other words identify the holder. A task that has waited for the
 * mutex and got it WRITEs its new rank to the place after the words, without the guard. Only messages use that rank
 * (lost.c).
 *
 * A biased mutex is used on its home only: a task that is elsewhere migrates there first. So its words need no guard
 * and no atomic. One CPU reads and writes them, and no task switch happens during an operation. The source is Dolan,
 * Muralidharan and Gregg, "Compiler Support for Lightweight Context Switching", TACO 9(4), 2013, section 6.3. In that
 * paper, the first task of another worker removes the bias for good; here the bias stays. Model: tests/model/bias.pml.
 *
 *   H1  Each operation on the words, except the destruction, runs on the home from its first load to its last store.
 *       The task may park only at the operation's end.
 *   H2  A waiter's block is in the home's heap. The task that gets the mutex is resumed on the home. After a restart
 *       the home is the keeper of the mutex's rank (runtime/segment/ghost.h). So a block may belong to a ghost's heap,
 *       which this worker keeps. A block may also belong to the heap of an earlier keeper, on another worker.
 *   H3  A restart can change the home while a task is on its way there. So a task looks for the home again after it has
 *       arrived, and keeps no address of the mutex over a task switch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/word.h"
#include "include/uat/lock.h"
#include "include/uat/sync.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/record.h"
#include "runtime/job/self.h"
#include "runtime/sync/mutex.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"

enum { LOCKED = UAT_MUTEX_LOCKED, BASE, HANDLE, BIRTH };

uat_mutex_t uat_mutex_create(void)
{
    const uint64_t word[4] = {0};
    uint64_t name = uat_waitobj_create(UAT_PARK_MUTEX, sizeof(uint64_t), word);
    *uat_mutex_resumed_at(uat_waitobj_address(name)) = 0;
    return (uat_mutex_t){name};
}

uat_mutex_t uat_mutex_create_biased(void)
{
    return (uat_mutex_t){uat_mutex_create().object | UAT_MUTEX_BIASED};
}

#define UNPARTED UINT64_C(1)

static struct uat_mutex_holder running_task(void)
{
    const struct uat_deque *deque = &uat_worker.deque;
    if (!uat_worker.running) /* main(), perhaps without a job; the caller finds that it holds nothing */
        return (struct uat_mutex_holder){0};
    uintptr_t base = uat_stacks_running_base();
    const struct uat_frame *frame = uat_frame_at(base);
    bool parted = (deque->top[-1] & UAT_TAG_MASK) != UAT_TAG_PRIVATE; /* otherwise frame->record is undefined */
    uint64_t birth = parted ? frame->record : (uint64_t)uat_self.rank << 48 | UNPARTED;
    return (struct uat_mutex_holder){base, (uintptr_t)frame->task, birth};
}

/* Store the holder in the words. where: rank + 1 of the worker that runs the holder, or UAT_MUTEX_HANDED. */
static void note_holder(struct uat_waitobj *m, struct uat_mutex_holder holder, uint64_t where)
{
    m->word[LOCKED] = where;
    m->word[BASE] = holder.base;
    m->word[HANDLE] = holder.handle;
    m->word[BIRTH] = holder.birth;
}

static bool is_holder(const struct uat_waitobj *m, struct uat_mutex_holder task)
{
    uint64_t birth = m->word[BIRTH];
    if (birth != 0 && (uint32_t)birth != UNPARTED) /* a parted holder is identified by its record alone */
        return birth == task.birth;
    bool in_group = (task.birth & UAT_RECORD_GROUP) && (uint32_t)task.birth != UNPARTED;
    /* After a restart, a holder that has not parted may be on a worker other than the one where it was born. */
    bool moved = uat_self.restarts > 0;
    return m->word[BASE] == task.base && m->word[HANDLE] == task.handle &&
           (in_group || moved || birth >> 48 == task.birth >> 48);
}

/* The place of the object or block of this name. If the name's rank is a ghost, the place is at the ghost's keeper. */
static struct uat_located located(uint64_t name)
{
    return uat_locate(uat_waitobj_rank(name), (uintptr_t)uat_waitobj_address(name));
}

/* Go to the home of a biased mutex. Ends the job if the name is not the name of a mutex. noinline, because the caller
 * may continue in another process. */
static __attribute__((noinline)) struct uat_waitobj *go_home(uint64_t name, const char *what)
{
    uat_waitobj_check(name, UAT_PARK_MUTEX, what);
    struct uat_located home = located(name);
    while (home.rank != uat_self.rank) {
        uat_migrate(home.rank);
        home = located(name); /* look again: a restart with another number of workers may have changed the home */
    }
    struct uat_waitobj *o = (struct uat_waitobj *)home.address;
    if (o->guard != 0 || o->kind != (UAT_WAITOBJ_MAGIC | UAT_PARK_MUTEX))
        uat_waitobj_take(name, UAT_PARK_MUTEX, what); /* ends the job */
    return o;
}

/* The words of a biased mutex, on its home (H1). Plain accesses are enough: see the head of this file. The accesses
 * need not order global memory, either. What a holder wrote on this worker is in this worker's cache. What a holder
 * wrote elsewhere was released before the holder came back. */
static inline struct uat_waitobj *biased(uat_mutex_t m, const char *what)
{
    uint64_t name = m.object & ~UAT_MUTEX_BIASED, offset = name - uat_self.near_first;
    struct uat_waitobj *o = uat_waitobj_address(name);
    if (__builtin_expect(offset >= uat_segment.heap_size || offset % UAT_HEAP_UNIT != UAT_HEAP_HEADER ||
                             o->guard != 0 || o->kind != (UAT_WAITOBJ_MAGIC | UAT_PARK_MUTEX),
                         0))
        return go_home(name, what);
    return o;
}

static int try_lock_biased(uat_mutex_t m)
{
    struct uat_waitobj *o = biased(m, "uat_mutex_try_lock()");
    if (o->word[LOCKED] == 0) {
        note_holder(o, running_task(), (uint64_t)uat_self.rank + 1);
        return 0;
    }
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

int uat_mutex_try_lock(uat_mutex_t m)
{
    if (uat_mutex_is_biased(m))
        return try_lock_biased(m);
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

/* Tag a waiter. The waiter must have parted from its spawner. The tag identifies the waiter when it becomes the holder.
 * The tag is the name of the waiter's join record, or of its entry in a flow. A root has neither, and is identified by
 * its base. */
static void tag_locker(uint64_t name)
{
    struct uat_parked *parked = (struct uat_parked *)(void *)uat_waitobj_address(name);
    const struct uat_frame *frame = uat_frame_at(parked->base); /* the frame stays in place until the call returns */
    parked->reply = frame->record;
}

static void park_locker(struct uat_park *wait, uint64_t name)
{
    tag_locker(name);
    uat_waitobj_park(wait, name);
}

/* The block of a waiter in the queue of a biased mutex, if it is here (H2); NULL if it is elsewhere. */
static struct uat_parked *waiter_here(uint64_t name)
{
    if (!uat_park_is_block(name, 0))
        uat_word_refuse(uat_self.rank, "the name of a waiter of a biased mutex", name);
    const struct uat_located block = located(name);
    return block.rank == uat_self.rank ? (struct uat_parked *)block.address : NULL;
}

/* Link the task `name` to the waiter `last`, after which it follows in the queue. */
static void link_biased(uint64_t last, uint64_t name)
{
    struct uat_parked *p = waiter_here(last);
    if (p) {
        p->next = name;
        return;
    }
    uat_sync_staging()->word = name;
    p = (struct uat_parked *)(void *)uat_waitobj_address(last);
    const struct uat_op op = uat_op_write(&uat_sync_staging()->word, &p->next, sizeof(p->next));
    uat_waitobj_do(last, &op, 1);
}

/* Queue the task. This needs no adapter, because the task's block is here, too (H2). */
static void park_biased(struct uat_park *wait, uint64_t name)
{
    struct uat_waitobj *o = (struct uat_waitobj *)located(wait->object).address;
    tag_locker(name);
    if (o->head)
        link_biased(o->tail, name);
    else
        o->head = name;
    o->tail = name;
}

static __attribute__((noinline)) void wait_biased(uat_mutex_t m, uint64_t locked)
{
    struct uat_park wait = {.kind = UAT_PARK_MUTEX,
                            .object = m.object & ~UAT_MUTEX_BIASED,
                            .holder = (uint32_t)locked,
                            .park = park_biased};
    uat_park(&wait);
}

static inline void lock_biased(uat_mutex_t m)
{
    struct uat_waitobj *o = biased(m, "uat_mutex_lock()");
    uint64_t locked = o->word[LOCKED];
    if (__builtin_expect(locked != 0, 0))
        wait_biased(m, locked);
    else
        note_holder(o, running_task(), (uint64_t)uat_self.rank + 1);
}

/*
 * Note that the task that was handed the mutex continues on this worker. The WRITE must complete before the task
 * continues. Otherwise the task might be stolen and unlock elsewhere, and the mutex might be destroyed. A WRITE in
 * flight, or one that the adapter repeats, would then overwrite the data of the block's next user.
 */
static __attribute__((noinline)) void note_resumed(uint64_t mutex)
{
    uint64_t *at = uat_mutex_resumed_at(uat_waitobj_address(mutex)), where = (uint64_t)uat_self.rank + 1;
    if (uat_waitobj_is_near(mutex)) {
        /* Relaxed: the store publishes no other data; pairs with uat_mutex_lost() in a signal handler. */
        __atomic_store_n(at, where, __ATOMIC_RELAXED);
        return;
    }
    uat_sync_staging()->word = where;
    struct uat_op op = uat_op_write(&uat_sync_staging()->word, at, sizeof(where));
    uat_waitobj_do(mutex, &op, 1);
}

void uat_mutex_lock(uat_mutex_t m)
{
    if (uat_mutex_is_biased(m)) {
        lock_biased(m);
        return;
    }
    struct uat_waitobj *o = uat_waitobj_take(m.object, UAT_PARK_MUTEX, "uat_mutex_lock()");
    if (o->word[LOCKED]) {
        uint64_t locked = o->word[LOCKED];
        if (locked > (uint64_t)uat_park_names() && locked != UAT_MUTEX_HANDED)
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

static inline void check_holder(const struct uat_waitobj *o, uint64_t object, struct uat_mutex_holder holder,
                                const char *what)
{
    if (__builtin_expect(!o->word[LOCKED], 0))
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is not locked", what, object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(object));
    if (__builtin_expect(!is_holder(o, holder), 0))
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is held by another task", what, object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(object));
}

/* Hand a biased mutex over to the task that has waited longest. */
static __attribute__((noinline)) void hand_over_biased(struct uat_waitobj *o)
{
    const struct uat_parked *p = waiter_here(o->head);
    if (!p) {
        struct uat_parked *copy = (struct uat_parked *)(void *)uat_sync_staging()->node;
        _Static_assert(sizeof(*copy) <= UAT_SYNC_NODE, "there is room for it");
        uat_waitobj_read(o->head, copy, uat_waitobj_address(o->head), sizeof(*copy));
        p = copy;
    }
    const struct uat_ready_task task = {.sp = p->sp, .base = p->base, .where = o->head};
    note_holder(o, (struct uat_mutex_holder){.base = p->base, .birth = p->reply}, (uint64_t)uat_self.rank + 1);
    o->head = o->head == o->tail ? 0 : p->next;
    uat_park_ready_here(&task, UAT_PARK_MUTEX);
}

static inline void release_biased(struct uat_waitobj *o, uint64_t object, struct uat_mutex_holder holder,
                                  const char *what)
{
    check_holder(o, object, holder, what);
    if (__builtin_expect(o->head != 0, 0))
        hand_over_biased(o);
    else
        o->word[LOCKED] = 0;
}

/* Hand the mutex over to the task that has waited longest, or free it. May also be called on the scheduler's side. */
static void release(uint64_t object, struct uat_mutex_holder holder, const char *what)
{
    struct uat_waitobj *o = uat_waitobj_take(object, UAT_PARK_MUTEX, what);
    struct uat_waking waking;
    check_holder(o, object, holder, what);
    bool any = uat_waitobj_unqueue(&waking);
    o->word[LOCKED] = 0;
    if (any) /* the waiter's tag identifies the new holder */
        note_holder(o, (struct uat_mutex_holder){.base = waking.base, .birth = waking.reply}, UAT_MUTEX_HANDED);
    uat_waitobj_leave(object, 0);
    waking.reply = 0;
    if (any)
        uat_waitobj_wake(&waking, UAT_PARK_MUTEX, 0, NULL, 0);
}

struct uat_mutex_holder uat_mutex_running(uat_mutex_t m, const char *what)
{
    if (uat_mutex_is_biased(m))
        biased(m, what); /* do this first, because it may migrate the task, and running_task() is valid on one worker
                          * only */
    return running_task();
}

/* Inline, so that uat_mutex_unlock() keeps the holder in registers. */
static inline void release_any(uat_mutex_t m, struct uat_mutex_holder holder, const char *what)
{
    uint64_t object = m.object & ~UAT_MUTEX_BIASED;
    if (uat_mutex_is_biased(m))
        release_biased((struct uat_waitobj *)located(object).address, object, holder, what);
    else
        release(object, holder, what);
}

void uat_mutex_release(uat_mutex_t m, struct uat_mutex_holder holder, const char *what)
{
    release_any(m, holder, what);
}

void uat_mutex_unlock(uat_mutex_t m)
{
    static const char what[] = "uat_mutex_unlock()";
    release_any(m, uat_mutex_running(m, what), what);
}

void uat_mutex_destroy(uat_mutex_t m)
{
    static const char what[] = "uat_mutex_destroy()";
    /* Not at the home of a biased mutex, so that a destructor may call it while an exception unwinds the task, which
     * then cannot migrate. No task uses the mutex any more, so nothing at its home races with the guard. */
    m.object &= ~UAT_MUTEX_BIASED;
    const struct uat_waitobj *o = uat_waitobj_take(m.object, UAT_PARK_MUTEX, what);
    if (o->word[LOCKED] && !o->head)
        uat_fatal("%s: mutex %" PRIx64 " of rank %d is locked", what, m.object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(m.object));
    uat_waitobj_end(m.object, o, UAT_PARK_MUTEX, what);
}
