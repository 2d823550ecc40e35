/* SPDX-License-Identifier: MIT */
/*
 * The common part of all objects that tasks wait for: words at a home, changed under a guard, and a queue of waiters.
 * Model: tests/model/waitobj.pml.
 *
 *   S1  Only the CMP_SWAP of the home's adapter changes `guard`. 0: free. rank + 1: held by that worker.
 *       UAT_WAITOBJ_GONE is final, and after UAT_WAITOBJ_SET only UAT_WAITOBJ_GONE follows. Only the holder WRITEs the
 *       other words, and only the holder uses words that can still change.
 *   S2  A guard is taken by { CMP_SWAP(guard, 0, rank + 1); READ words }. If the swap won, the words are as the last
 *       holder left them (O1). A guard is freed by { WRITE words; CMP_SWAP(guard, rank + 1, 0) }, fire and forget. The
 *       WRITE has arrived before the guard is free (O1).
 *   S3  The holder waits for nothing but completions. No task switch happens while a guard is held, with one exception:
 *       a task that finds that it must wait is evacuated and queued before the guard is free. So no wake-up is lost
 *       between the look and the queueing. Several guards are taken in the order of the objects' names, so that no
 *       cycle of waits can arise.
 *   S4  A waiter's block does not change from its queueing to its waking, except for `next` and the reply. The worker
 *       that queues the next waiter WRITEs `next` under the guard, and this WRITE is complete before the guard is free.
 *   S5  Exactly one worker takes a waiter out of the queue, under the guard. That worker then makes the waiter ready,
 *       once. The reply is complete, including a FETCH_ADD after its WRITE, before the task is made ready.
 */
#ifndef UAT_WAITOBJ_H
#define UAT_WAITOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/relax.h"
#include "runtime/global/global.h"
#include "include/uat/pattern.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/park.h"
#include "runtime/sched/stop.h"

struct uat_waitobj {
    /* Changed only by the adapter's atomics or, where the CPU is the adapter (O6), by the CPU's. */
    _Alignas(64) uint64_t guard;
    uint64_t kind;            /* UAT_WAITOBJ_MAGIC | enum uat_park_kind */
    uint64_t head, tail;      /* names of the first and of the last waiter; 0 if there is none */
    uint64_t word[4];         /* their meaning depends on the kind */
    _Alignas(64) char data[]; /* values */
};

#define UAT_WAITOBJ_MAGIC (UINT64_C(0x756174) << 32)
#define UAT_WAITOBJ_SET   (UINT64_C(1) << 32) /* a future has its value, or a group was cancelled: for good */
#define UAT_WAITOBJ_GONE  (UINT64_C(2) << 32) /* final: destroyed */

enum {
    UAT_HELD_MAX = 16, /* maximum number of guards that a worker holds at once */
    UAT_SYNC_NODE = 96 /* bytes of a node in named.c */
};

/* Local buffers of the operations that this worker posts to far objects. */
struct uat_sync_staging {
    uint64_t old; /* old value that an atomic returns */
    uint64_t word;
    uint64_t waking[6];        /* header of a waiter */
    uint64_t select_waiter[3]; /* the select waiter of a waiting select */
    uint64_t node[UAT_SYNC_NODE / 8];
    /* `held` has a copy of the words of the object whose guard is held. `select` has the copies for several such
     * objects. */
    _Alignas(64) char held[sizeof(struct uat_waitobj)];
    _Alignas(64) char select[UAT_HELD_MAX][sizeof(struct uat_waitobj)];
    _Alignas(64) char value[]; /* uat_segment.result_max bytes */
};
extern struct uat_area uat_sync_area __attribute__((visibility("hidden")));
static inline struct uat_sync_staging *uat_sync_staging(void)
{
    return uat_sync_area.at;
}

/* Reserve the staging area in the segment. */
void uat_sync_reserve(void);

/* Reserve the table of channels' names in the segment. */
void uat_sync_reserve_names(void);

/* named.c, for a restart: uat_sync_forget_names() empties this worker's lists. uat_sync_add_name() adds a name to its
 * list. The name's list depends on the number of workers. The name is in a block of `rank`, and `here` points to the
 * block's bytes on this worker. The lists of all workers must be empty before the first name is added. */
void uat_sync_forget_names(void);
void uat_sync_add_name(int rank, uint64_t address, void *here);

/* cancel.c: forget what this worker knows about far groups. */
void uat_cancel_forget(void);

/* The words of the object whose guard this worker holds: a copy in the staging area or, if the object is near, the
 * object itself. There is one such object at a time. */
extern struct uat_waitobj *uat_waitobj_words __attribute__((visibility("hidden")));
static inline struct uat_waitobj *uat_waitobj_held(void)
{
    return uat_waitobj_words;
}

/* Create an object with `bytes` of data. Returns its name. Ends the job if there is no room. */
uint64_t uat_waitobj_create(enum uat_park_kind kind, size_t bytes, const uint64_t word[4]);

/*
 * Wait for a random time before the next poll. A poll holds the object's guard. The task that shall end the polling
 * tries to take the guard once in a round trip, and a task that polled without a pause could hold it each time: with
 * adapters that take 470 ns for an atomic, the polling never ended (virtual time). If workers share memory, the other
 * task spins on the guard, and gets it.
 */
void uat_waitobj_poll_pause(void);

/*
 * Called when a try_ function has found nothing. The calling task may poll in a loop for something that its spawner's
 * continuation has to do, and the loop might never end. So this function offers continuations that could not be offered
 * before. In the message protocol it also answers a thief that asks. (Nothing is offered while ranges are checked out,
 * because an offer may perform a RELEASE.)
 */
static inline void uat_waitobj_poll_failed(void)
{
    uat_work_wanted();
    uat_stop_polled();
    if (!uat_self.transport->cpu_atomics)
        uat_waitobj_poll_pause();
}

/* Ends the job if no object can have this name; the handle is then probably uninitialised. what: as below. */
void uat_waitobj_check(uint64_t name, enum uat_park_kind kind, const char *what);

/* Take the guard. Returns the words, or NULL if guard is UAT_WAITOBJ_SET. Ends the job if name is no object of that
 * kind. what: the caller, for messages: "uat_mutex_lock()". Only operations on near objects are inline, because an
 * operation on a far object takes a round trip anyway. */
static inline struct uat_waitobj *uat_waitobj_take(uint64_t name, enum uat_park_kind kind, const char *what);

/* Take the guard of object i of several (i < UAT_HELD_MAX). The guards are taken in the order of the objects' names.
 * uat_waitobj_hold() selects the object that the functions below work on. */
struct uat_waitobj *uat_waitobj_take_more(uint64_t name, enum uat_park_kind kind, const char *what, int i);
void uat_waitobj_hold(struct uat_waitobj *words);

/* Give up the guard. The words stay as they are now, and the guard becomes `final` (0: free). */
static inline void uat_waitobj_leave(uint64_t name, uint64_t final);

/* Pause between two looks at a guard that some worker holds. Ends the job if `guard` is not a valid guard, or if the
 * guard stays held too long. The caller calls uat_waitobj_looked() after its last look. */
void uat_waitobj_look_later(uint64_t name, enum uat_park_kind kind, const char *what, uint64_t guard,
                            struct uat_relax *relax);
void uat_waitobj_looked(const struct uat_relax *relax);

/* Destroy the object. Ends the job if a task waits for it. */
void uat_waitobj_destroy(uint64_t name, enum uat_park_kind kind, const char *what);

/* Destroy the object with its guard held. o: what uat_waitobj_take() returned. */
void uat_waitobj_end(uint64_t name, const struct uat_waitobj *o, enum uat_park_kind kind, const char *what);

/* For struct uat_park.park: with the guard of wait->object held, queue the task at that object and free the guard. */
void uat_waitobj_park(struct uat_park *wait, uint64_t name);

/* With the guard held: queue the calling task, free the guard, and wait for kind. reply: see struct uat_park. */
static inline void uat_waitobj_wait(uint64_t name, enum uat_park_kind kind, uint64_t *reply)
{
    struct uat_park wait = {.kind = kind, .object = name, .reply = reply, .park = uat_waitobj_park};
    uat_park(&wait);
}

/* uat_waitobj_wait() without a reply; use it as a tail call, like uat_park_word(). Returns 0. */
static inline int uat_waitobj_wait_only(uint64_t name, enum uat_park_kind kind)
{
    static struct uat_park wait = {.park = uat_waitobj_park};
    wait.kind = kind;
    wait.object = name;
    return uat_park(&wait);
}

/* uat_waitobj_wait() with a reply of one word; use it as a tail call: see uat_park_word(). Returns -status. */
static inline int uat_waitobj_wait_word(uint64_t name, enum uat_park_kind kind, uint64_t value, void *to)
{
    static struct uat_park wait = {.park = uat_waitobj_park};
    wait.kind = kind;
    wait.object = name;
    /* Save the registers on the task's stack, and go on in uat_schedule_next(), runtime/sched/scheduler.c. */
    return uat_park_word(&wait, value, to);
}

/* With the guard held: put a waiter at the queue's end. */
void uat_waitobj_queue(uint64_t waiter);

/* The name of the object whose guard is held, or was held last. uat_waitobj_held_rank(): the rank of that object's
 * home. */
static inline uint64_t uat_waitobj_held_name(void);
static inline int uat_waitobj_held_rank(void)
{
    return (int)(uat_waitobj_held_name() >> 48);
}

/* A waiter that was taken out of a queue, and what its header says. */
struct uat_waking {
    uint64_t name, next;
    uint64_t sp, base;
    uint64_t reply; /* the address of the reply, or a tag */
    bool select;    /* the task waits for several objects, and this object wakes it */
};

/* With the guard held: dequeue the first waiter that can still be woken. Returns false if there is none. */
static inline bool uat_waitobj_unqueue(struct uat_waking *waking);

/* READ and check a waiter's header, for lists that were dequeued as a whole. */
void uat_waitobj_look(uint64_t waiter, struct uat_waking *waking);

/* Ends the job if a queue is longer than all heaps have room for, because such a queue contains a cycle. passed: its
 * waiters so far; at: the last of them. */
void uat_waitobj_check_length(uint64_t passed, uint64_t at);

/* The checked address of the value, of `size` bytes, in a waiter's reply. Peers may have written that address. */
static inline void *uat_waitobj_reply(const struct uat_waking *waking, size_t size);

/* Ends the job: a waiter's reply is not in its stack. */
_Noreturn void uat_waitobj_refuse_reply(const struct uat_waking *waking) __attribute__((cold));

/* Answer a waiter with `status` and with the `size` bytes at `value`, which lie in registered memory. Then make the
 * waiter's task ready. value and size: NULL and 0 if there is no value. */
static inline void uat_waitobj_wake(const struct uat_waking *waking, enum uat_park_kind kind, uint64_t status,
                                    const void *value, size_t size);

/* Wake all waiters of a list that was dequeued as a whole, from head to tail. */
void uat_waitobj_wake_all(uint64_t head, uint64_t tail, enum uat_park_kind kind, uint64_t status, const void *value,
                          size_t size);

/* Post a chain to the rank in `name`, and wait for its completion: one round trip. */
void uat_waitobj_do(uint64_t name, const struct uat_op *ops, int n);

/* Copy `size` bytes of an object's data, of a waiter's block or of a node of named.c to registered memory. Waits for
 * completion. An object's data must be copied with its guard held. */
void uat_waitobj_read(uint64_t name, void *to, const void *address, size_t size);
/* With the guard held: copy `size` bytes of registered memory to the object's data. The bytes arrive before the guard
 * is free. `from` may be reused at once. */
void uat_waitobj_write(uint64_t name, const void *from, void *address, size_t size);

/*
 * A task that waits in several queues at once has a select waiter. This is a separate block in the heap where the task
 * waited, with an entry for each queue. An entry has the form of a waiter's header: sp is 0, base is the select
 * waiter's name, and reply is the address for the answer of this queue. A worker that dequeues an entry claims the
 * entry's select waiter. Only one worker wins the claim, and that worker wakes the task.
 *
 *   S6  Only the CMP_SWAP of the adapter changes `claim`, which is 0 until the first waker. A worker claims under the
 *       guard of a queue that holds one of the entries.
 *   S7  The task queues its entries with the guards of all its objects held. After the task was resumed, it removes the
 *       entries that are left, each under the guard of the entry's queue. After that no worker knows the select waiter,
 *       and the task gives it back.
 */
struct uat_select_waiter {
    uint64_t returned; /* as in struct uat_block */
    uint64_t claim;
    uint64_t stack; /* name of the block with the task's stack; this CPU sets it, sp and base before queueing */
    uint64_t sp, base;
    uint64_t unused[3];
    struct uat_parked entry[];
};

/* Remove an entry from the queue of the object whose guard is held, if the entry is still queued. */
void uat_waitobj_remove(uint64_t entry);

/* Copy a value. Most values have 8 bytes, and a call of memcpy() would take longer than the copy itself. */
static inline void uat_waitobj_copy(void *to, const void *from, size_t size)
{
    if (__builtin_expect(size == 8, 1))
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

static inline int uat_waitobj_rank(uint64_t name)
{
    return (int)(name >> 48);
}
static inline struct uat_waitobj *uat_waitobj_address(uint64_t name)
{
    return (struct uat_waitobj *)(uintptr_t)(name & ((UINT64_C(1) << 48) - 1));
}

static inline uint64_t uat_waitobj_held_name(void)
{
    const struct uat_waitobj *o = uat_waitobj_held();
    bool here = (uintptr_t)o - (uintptr_t)uat_segment.heap < uat_segment.heap_size;
    return here ? (uint64_t)uat_self.rank << 48 | (uintptr_t)o : o->guard; /* try_take_far() has put the name there */
}

/*
 * Can this CPU access the object of this name directly, just as the adapter would? If it can, S1 and S2 still hold: the
 * CPU's atomic instruction on the guard counts as the adapter's. This instruction is a full fence before the loads of
 * the words and after their stores.
 */
static inline bool uat_waitobj_is_near(uint64_t name)
{
    return name - uat_self.near_first < uat_self.near_size;
}

/* CMP_SWAP of a guard, or of a claim, that is near. Returns the old value. Pairs with the swaps of try_take_far() and
 * uat_waitobj_leave_far() on other workers. A job with one worker has no peers, and needs no atomic instruction. */
static inline uint64_t uat_waitobj_swap_near(uint64_t *guard, uint64_t expected, uint64_t desired)
{
    if (uat_self.size == 1) {
        uint64_t old = *guard;
        *guard = old == expected ? desired : old;
        return old;
    }
    __atomic_compare_exchange_n(guard, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

/* The slow paths of the inline functions below. */
struct uat_waitobj *uat_waitobj_take_slowly(uint64_t name, enum uat_park_kind kind, const char *what);
void uat_waitobj_leave_far(uint64_t name, uint64_t final);
bool uat_waitobj_unqueue_slowly(struct uat_waking *waking);
void uat_waitobj_wake_far(const struct uat_waking *waking, enum uat_park_kind kind, uint64_t status, const void *value,
                          size_t size);

static inline struct uat_waitobj *uat_waitobj_take(uint64_t name, enum uat_park_kind kind, const char *what)
{
    struct uat_waitobj *o = uat_waitobj_address(name);
    if (__builtin_expect(!uat_waitobj_is_near(name) ||
                             (name - uat_self.near_first) % UAT_HEAP_UNIT != UAT_HEAP_HEADER ||
                             o->kind != (UAT_WAITOBJ_MAGIC | kind) ||
                             uat_waitobj_swap_near(&o->guard, 0, (uint64_t)uat_self.rank + 1) != 0,
                         0))
        return uat_waitobj_take_slowly(name, kind, what);
    uat_waitobj_words = o;
    uat_global_after_resume(); /* pairs with the release in uat_waitobj_leave() */
    return o;
}

static inline void uat_waitobj_leave(uint64_t name, uint64_t final)
{
    uat_global_before_wait(); /* what this worker wrote is released for the next holder and for woken tasks */
    if (uat_waitobj_is_near(name))
        uat_waitobj_swap_near(&uat_waitobj_address(name)->guard, (uint64_t)uat_self.rank + 1, final);
    else
        uat_waitobj_leave_far(name, final);
}

static inline bool uat_waitobj_unqueue(struct uat_waking *waking)
{
    struct uat_waitobj *o = uat_waitobj_held();
    uint64_t head = o->head;
    const struct uat_parked *p = (const struct uat_parked *)(const void *)uat_waitobj_address(head);
    if (!head)
        return false;
    if (__builtin_expect(!uat_waitobj_is_near(head) || head % UAT_READY_STACK || !uat_park_is_stack(p->sp, p->base) ||
                             p->object != uat_waitobj_held_name(),
                         0))
        return uat_waitobj_unqueue_slowly(waking);
    *waking = (struct uat_waking){head, p->next, p->sp, p->base, p->reply, false};
    o->head = head == o->tail ? 0 : p->next;
    return true;
}

static inline void *uat_waitobj_reply(const struct uat_waking *waking, size_t size)
{
    uint64_t room = waking->base - waking->sp,
             at = waking->reply - (uintptr_t)uat_waitobj_address(waking->name) - UAT_READY_STACK;
    if (__builtin_expect(
            at % 8 || at >= room || room - at < 8 + uat_round8(size) || !uat_park_is_block(waking->name, room), 0))
        uat_waitobj_refuse_reply(waking);
    return (char *)(uintptr_t)waking->reply + 8;
}

/* Make the waiter's task ready. The answer, if there is one, must be complete (S5). */
static inline void uat_waitobj_ready(const struct uat_waking *waking, enum uat_park_kind kind)
{
    struct uat_ready_task task = {.sp = waking->sp, .base = waking->base, .where = waking->name};
    uat_park_ready(&task, waking->select ? UAT_PARK_SELECT : kind);
}

static inline void uat_waitobj_wake(const struct uat_waking *waking, enum uat_park_kind kind, uint64_t status,
                                    const void *value, size_t size)
{
    if (!uat_waitobj_is_near(waking->name)) {
        uat_waitobj_wake_far(waking, kind, status, value, size);
        return;
    }
    if (waking->reply) { /* the release in deque/ready.c follows */
        void *to = uat_waitobj_reply(waking, size);
        *(uint64_t *)(uintptr_t)waking->reply = status;
        if (size > 0)
            uat_waitobj_copy(to, value, uat_round8(size));
    }
    uat_waitobj_ready(waking, kind);
}

#endif
