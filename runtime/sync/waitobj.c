/* SPDX-License-Identifier: MIT */
#include "runtime/sync/waitobj.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/delay.h"
#include "base/relax.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "include/uat/sync.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/deadlock.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum { WATCH_EVERY = 256 /* number of looks at a guard between two calls of the watch */ };

/* The number of bytes of a far object that are READ when its guard is taken, and WRITTEN when it is freed: all words
 * except the guard, without the values. */
enum { WORDS = offsetof(struct uat_waitobj, data) - offsetof(struct uat_waitobj, kind) };
_Static_assert((int)WORDS <= (int)UAT_UNSIGNALED_WRITE_MAX, "leaving is fire and forget");

struct uat_area uat_sync_area = {.name = "staging of objects", .peers = UAT_PEERS_NOTHING};
struct uat_waitobj *uat_waitobj_words;

void uat_sync_reserve(void)
{
    uat_sync_area.size = sizeof(struct uat_sync_staging) + uat_round8(uat_segment.result_max);
    uat_segment_reserve(&uat_sync_area);
}

void uat_waitobj_do(uint64_t name, const struct uat_op *ops, int n)
{
    uat_delay();
    uat_keeper_do(uat_waitobj_rank(name), ops, n);
}

void uat_waitobj_read(uint64_t name, void *to, const void *address, size_t size)
{
    if (uat_waitobj_is_near(name)) { /* no fence is needed: the guard's CMP_SWAP is a fence */
        memcpy(to, address, uat_round8(size));
        return;
    }
    struct uat_op op = uat_op_read(to, address, uat_round8(size));
    if (size > 0)
        uat_waitobj_do(name, &op, 1);
}

void uat_waitobj_write(uint64_t name, const void *from, void *address, size_t size)
{
    if (uat_waitobj_is_near(name)) { /* no fence is needed: the guard's CMP_SWAP is a fence */
        memcpy(address, from, uat_round8(size));
        return;
    }
    struct uat_op op = uat_op_write(from, address, uat_round8(size));
    if (size > UAT_UNSIGNALED_WRITE_MAX)
        uat_waitobj_do(name, &op, 1);
    else if (size > 0) /* it arrives before the guard's CMP_SWAP in uat_waitobj_leave() (O1, O5) */
        uat_keeper_post_unsignaled(uat_waitobj_rank(name), &op, 1);
}

/* The noun for an object of this kind. For a channel, the noun differs from the name of what tasks wait for. */
static const char *noun(enum uat_park_kind kind)
{
    return kind == UAT_PARK_RECEIVE ? "a channel" : uat_deadlock_name(kind);
}

uint64_t uat_waitobj_create(enum uat_park_kind kind, size_t bytes, const uint64_t word[4])
{
    if (!uat_self.transport)
        uat_fatal("%s was created outside of uat_init() and uat_finalize()", noun(kind));
    struct uat_block *block = NULL;
    if (bytes < uat_segment.heap_size)
        block = uat_heap_get(&uat_heap, sizeof(struct uat_waitobj) + bytes);
    if (!block)
        uat_fatal(
            "UAT_HEAP_SIZE=%zuk leaves no room for %s of %zu bytes; set it to %zuk or more, or destroy what is not "
            "used any more",
            uat_segment.heap_size >> 10, noun(kind), bytes, uat_heap_advice(bytes));
    struct uat_waitobj *o = uat_block_stack(block);
    ((struct uat_parked *)block)->kind = UAT_PARK_OBJECT; /* for messages and for checkpoints, like `holder` */
    ((struct uat_parked *)block)->holder = !uat_worker.running;
    /* Relaxed: no peer knows the object yet; later operations of the transport pass its handle on. */
    __atomic_store_n(&o->guard, 0, __ATOMIC_RELAXED);
    o->kind = UAT_WAITOBJ_MAGIC | kind;
    o->head = o->tail = 0;
    memcpy(o->word, word, sizeof(o->word));
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)o;
}

static _Noreturn void refuse(uint64_t name, enum uat_park_kind kind, const char *what)
{
    uat_fatal("%s: %" PRIx64 " of rank %d is not %s: it was destroyed, or never created", what,
              name & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(name), noun(kind));
}

void uat_object_refuse(const char *function)
{
    uat_fatal("%s(): the handle names no object: it was never created, or its variable was moved from", function);
}

void uat_waitobj_hold(struct uat_waitobj *words)
{
    uat_waitobj_words = words;
}

/* { CMP_SWAP guard; READ words to copy }: S2. Returns the guard's old value. */
static __attribute__((noinline)) uint64_t try_take_far(uint64_t name, struct uat_waitobj *o, struct uat_waitobj *copy)
{
    struct uat_op chain[] = {
        uat_op_cmp_swap(&copy->guard, &o->guard, 0, (uint64_t)uat_self.rank + 1),
        /* After the CMP_SWAP (O1): the words are valid if it won. Pairs with the chain of uat_waitobj_leave_far(). */
        uat_op_read(&copy->kind, &o->kind, WORDS),
    };
    uat_waitobj_do(name, chain, 2);
    uint64_t guard = copy->guard;
    copy->guard = name; /* see uat_waitobj_held_name() */
    return guard;
}

/* Try to take the guard of a near or far object. If that succeeds, uat_waitobj_held() returns its words. */
static inline uint64_t try_take(uint64_t name, struct uat_waitobj *copy)
{
    struct uat_waitobj *o = uat_waitobj_address(name);
    bool near = uat_waitobj_is_near(name);
    uat_waitobj_words = near ? o : copy;
    return near ? uat_waitobj_swap_near(&o->guard, 0, (uint64_t)uat_self.rank + 1) : try_take_far(name, o, copy);
}

void uat_waitobj_check(uint64_t name, enum uat_park_kind kind, const char *what)
{
    if (__builtin_expect(!uat_self.transport || !uat_park_is_object(name), 0))
        refuse(name, kind, what);
}

void uat_waitobj_poll_pause(void)
{
    enum { BITS = 12 }; /* up to 4.1 us: a round trip and an atomic, on average */
    uint64_t now = uat_clock_ns(), ns = now * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS); /* Fibonacci hashing */
    if (UAT_IS_VIRTUAL()) {
        uat_virtual->pause(ns);
        return;
    }
    while (uat_clock_ns() < now + ns)
        uat_cpu_pause();
}

void uat_waitobj_look_later(uint64_t name, enum uat_park_kind kind, const char *what, uint64_t guard,
                            struct uat_relax *relax)
{
    if (guard == UAT_WAITOBJ_GONE)
        refuse(name, kind, what);
    if (guard > (uint64_t)uat_self.size)
        uat_word_refuse(uat_waitobj_rank(name), "the guard of an object", guard);
    if (relax->spins % WATCH_EVERY == WATCH_EVERY - 1)
        uat_stall_guard(name, (int)guard - 1);
    uat_relax_away(relax); /* the guard may lie on another worker */
}

void uat_waitobj_looked(const struct uat_relax *relax)
{
    if (relax->spins >= WATCH_EVERY)
        uat_stall_over();
}

/* Keep trying. The first try found the value `guard`. Returns false if the guard becomes UAT_WAITOBJ_SET. */
static __attribute__((noinline)) bool take_later(uint64_t name, enum uat_park_kind kind, const char *what,
                                                 struct uat_waitobj *copy, uint64_t guard)
{
    struct uat_relax relax = {0};
    for (; guard != 0 && guard != UAT_WAITOBJ_SET; guard = try_take(name, copy))
        uat_waitobj_look_later(name, kind, what, guard, &relax);
    uat_waitobj_looked(&relax);
    return guard == 0;
}

static struct uat_waitobj *take(uint64_t name, enum uat_park_kind kind, const char *what, void *copy)
{
    uat_waitobj_check(name, kind, what);
    uint64_t guard = try_take(name, copy);
    if (__builtin_expect(guard != 0, 0) && !take_later(name, kind, what, copy, guard))
        return NULL;
    uint64_t found = uat_waitobj_held()->kind;
    if (__builtin_expect(found != (UAT_WAITOBJ_MAGIC | kind), 0))
        uat_fatal("%s: %" PRIx64 " of rank %d is not %s: it was destroyed, or never created; its kind is 0x%" PRIx64,
                  what, name & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(name), noun(kind), found);
    uat_global_after_resume(); /* pairs with the release in uat_waitobj_leave() */
    return uat_waitobj_held();
}

struct uat_waitobj *uat_waitobj_take_slowly(uint64_t name, enum uat_park_kind kind, const char *what)
{
    return take(name, kind, what, uat_sync_staging()->held);
}

struct uat_waitobj *uat_waitobj_take_more(uint64_t name, enum uat_park_kind kind, const char *what, int i)
{
    return take(name, kind, what, uat_sync_staging()->select[i]);
}

void uat_waitobj_leave_far(uint64_t name, uint64_t final)
{
    struct uat_waitobj *o = uat_waitobj_address(name);
    struct uat_op chain[] = {
        /* Takes effect before the CMP_SWAP (O1), which pairs with the CMP_SWAP in try_take(). */
        uat_op_write(&uat_waitobj_held()->kind, &o->kind, WORDS),
        uat_op_cmp_swap(NULL, &o->guard, (uint64_t)uat_self.rank + 1, final),
    };
    uat_delay();
    uat_keeper_post_unsignaled(uat_waitobj_rank(name), chain, 2);
}

void uat_waitobj_destroy(uint64_t name, enum uat_park_kind kind, const char *what)
{
    uat_waitobj_end(name, uat_waitobj_take(name, kind, what), kind, what);
}

void uat_waitobj_end(uint64_t name, const struct uat_waitobj *o, enum uat_park_kind kind, const char *what)
{
    if (o && o->head)
        uat_fatal("%s: tasks still wait for %s %" PRIx64 " of rank %d", what, noun(kind),
                  name & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(name));
    struct uat_waitobj *home = uat_waitobj_address(name);
    struct uat_block *block = (struct uat_block *)(void *)((char *)home - UAT_HEAP_HEADER);
    uint64_t guard = o ? (uint64_t)uat_self.rank + 1 : UAT_WAITOBJ_SET;
    if (uat_waitobj_is_near(name)) {
        uat_waitobj_swap_near(&home->guard, guard, UAT_WAITOBJ_GONE);
        uat_heap_put(&uat_heap, block);
        return;
    }
    struct uat_op last = uat_op_cmp_swap(&uat_sync_staging()->old, &home->guard, guard, UAT_WAITOBJ_GONE);
    /* This operation must be complete before the mark is written (O7), because the home reuses the memory once it finds
     * the mark. */
    uat_waitobj_do(name, &last, 1);
    uat_keeper_give_back(uat_waitobj_rank(name), &block->returned);
}
