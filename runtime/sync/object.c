/* SPDX-License-Identifier: MIT */
#include "runtime/sync/object.h"

#include <inttypes.h>
#include <string.h>

#include "base/delay.h"
#include "base/relax.h"
#include "global/global.h"
#include "runtime/memory/frame.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/deadlock.h"
#include "runtime/watch/die.h"

/* What taking READs and leaving WRITEs: all words but the guard. */
enum { WORDS = offsetof(struct uat_object, data) - offsetof(struct uat_object, kind) };
_Static_assert((int)WORDS <= (int)UAT_FORGET_WRITE_MAX, "leaving is fire and forget");
_Static_assert(offsetof(struct uat_object, data) == sizeof(((struct uat_staging *)0)->object),
               "staging holds the words");

/* The words of the object whose guard is held: a copy in the staging area, or, near, the object itself. */
static struct uat_object *held;

struct uat_object *uat_object_held(void)
{
    return held;
}

/* CMP_SWAP of a guard that is near. Returns the old value. Its peers are those of uat_object_take() and leave(), of any
 * other worker: a job of one has none, and needs no locked instruction. */
static inline uint64_t swap_near(uint64_t *guard, uint64_t expected, uint64_t desired)
{
    if (uat_self.size == 1) {
        uint64_t old = *guard;
        *guard = old == expected ? desired : old;
        return old;
    }
    __atomic_compare_exchange_n(guard, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static void post_and_wait(uint64_t name, const struct uat_op *ops, int n)
{
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_object_rank(name), ops, n));
}

void uat_object_read(uint64_t name, void *to, const void *address, size_t size)
{
    if (uat_object_is_near(name)) { /* no fence: the guard's CMP_SWAP is one */
        memcpy(to, address, uat_round8(size));
        return;
    }
    struct uat_op op = uat_op_read(to, address, uat_round8(size));
    if (size > 0)
        post_and_wait(name, &op, 1);
}

void uat_object_write(uint64_t name, const void *from, void *address, size_t size)
{
    if (uat_object_is_near(name)) { /* likewise */
        memcpy(address, from, uat_round8(size));
        return;
    }
    struct uat_op op = uat_op_write(from, address, uat_round8(size));
    if (size > UAT_FORGET_WRITE_MAX)
        post_and_wait(name, &op, 1);
    else if (size > 0) /* ahead of the guard's CMP_SWAP in uat_object_leave() (O1, O5) */
        uat_check(uat_transport_forget(uat_self.transport, uat_object_rank(name), &op, 1));
}

uint64_t uat_object_create(enum uat_park_kind kind, size_t bytes, const uint64_t word[4])
{
    if (!uat_self.transport)
        uat_die("%s was created outside of uat_init() and uat_finalize()", uat_deadlock_name(kind));
    struct uat_block *block = uat_heap_get(&uat_heap, sizeof(struct uat_object) + bytes);
    if (!block)
        uat_die("UAT_HEAP_SIZE=%zuk leaves no room for %s of %zu bytes; set it to more, or destroy what is not used "
                "any more",
                uat_segment.heap_size >> 10, uat_deadlock_name(kind), sizeof(struct uat_object) + bytes);
    struct uat_object *o = uat_block_stack(block);
    ((struct uat_parked *)block)->kind = UAT_PARK_NONE;
    /* Relaxed: nobody knows the object yet; its handle travels by operations of the transport, which are behind. */
    __atomic_store_n(&o->guard, 0, __ATOMIC_RELAXED);
    o->kind = UAT_OBJECT_MAGIC | kind;
    o->head = o->tail = 0;
    memcpy(o->word, word, sizeof(o->word));
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)o;
}

static _Noreturn void refuse(uint64_t name, enum uat_park_kind kind, const char *what)
{
    uat_die("%s: %" PRIx64 " of rank %d is not %s: it was destroyed, or never created", what,
            name & ((UINT64_C(1) << 48) - 1), uat_object_rank(name), uat_deadlock_name(kind));
}

/* Could name be an object? A handle may be uninitialised. */
static bool is_sane(uint64_t name)
{
    if (uat_object_rank(name) >= uat_self.size)
        return false;
    uintptr_t at = (uintptr_t)uat_object_address(name);
    uintptr_t heap = (uintptr_t)uat_segment_of(uat_object_rank(name), uat_segment.heap);
    return at >= heap && at < heap + uat_segment.heap_size && (at - heap) % UAT_HEAP_UNIT == UAT_HEAP_HEADER;
}

/* { CMP_SWAP guard; READ words }: S2. Leaves the words in `held`. Returns the guard's old value. */
static uint64_t try_take(uint64_t name, struct uat_object *o)
{
    if (uat_object_is_near(name)) {
        held = o;
        return swap_near(&o->guard, 0, (uint64_t)uat_self.rank + 1);
    }
    struct uat_object *copy = (struct uat_object *)(void *)uat_segment.staging->object;
    struct uat_op chain[] = {
        uat_op_cmp_swap(&copy->guard, &o->guard, 0, (uint64_t)uat_self.rank + 1),
        /* Behind the CMP_SWAP (O1): right if that won. The peer is the chain of uat_object_leave(). */
        uat_op_read(&copy->kind, &o->kind, WORDS),
    };
    post_and_wait(name, chain, 2);
    held = copy;
    return copy->guard;
}

void uat_object_check(uint64_t name, enum uat_park_kind kind, const char *what)
{
    if (__builtin_expect(!uat_self.transport || !is_sane(name), 0))
        refuse(name, kind, what);
}

struct uat_object *uat_object_take(uint64_t name, enum uat_park_kind kind, const char *what)
{
    struct uat_object *o = uat_object_address(name);
    struct uat_relax relax = {0};
    uint64_t guard;
    uat_object_check(name, kind, what);
    while (__builtin_expect((guard = try_take(name, o)) != 0, 0)) {
        if (guard == UAT_OBJECT_SET)
            return NULL;
        if (guard > (uint64_t)uat_self.size)
            refuse(name, kind, what);
        uat_relax(&relax);
    }
    if (__builtin_expect(held->kind != (UAT_OBJECT_MAGIC | kind), 0))
        refuse(name, kind, what);
    uat_global_after_resume(); /* the peer is the release in uat_object_leave() */
    return held;
}

void uat_object_leave(uint64_t name, uint64_t final)
{
    struct uat_object *o = uat_object_address(name);
    uat_global_before_wait(); /* what this worker wrote to global memory, for who takes the guard or is woken up next */
    if (uat_object_is_near(name)) {
        swap_near(&o->guard, (uint64_t)uat_self.rank + 1, final);
        return;
    }
    struct uat_op chain[] = {
        /* Before the CMP_SWAP (O1), whose peer is that of uat_object_take(). */
        uat_op_write(&held->kind, &o->kind, WORDS),
        uat_op_cmp_swap(NULL, &o->guard, (uint64_t)uat_self.rank + 1, final),
    };
    uat_delay();
    uat_check(uat_transport_forget(uat_self.transport, uat_object_rank(name), chain, 2));
}

void uat_object_destroy(uint64_t name, enum uat_park_kind kind, const char *what)
{
    struct uat_object *o = uat_object_take(name, kind, what);
    if (o && o->head)
        uat_die("%s: tasks still wait for %s %" PRIx64 " of rank %d", what, uat_deadlock_name(kind),
                name & ((UINT64_C(1) << 48) - 1), uat_object_rank(name));
    struct uat_object *home = uat_object_address(name);
    struct uat_block *block = (struct uat_block *)(void *)((char *)home - UAT_HEAP_HEADER);
    struct uat_staging *staging = uat_segment.staging;
    uint64_t guard = o ? (uint64_t)uat_self.rank + 1 : UAT_OBJECT_SET;
    if (uat_object_is_near(name)) {
        swap_near(&home->guard, guard, UAT_OBJECT_GONE);
        uat_heap_put(&uat_heap, block);
        return;
    }
    struct uat_op last = uat_op_cmp_swap(&staging->old, &home->guard, guard, UAT_OBJECT_GONE);
    /* Complete before the mark, behind which the home uses the memory again (O7). */
    post_and_wait(name, &last, 1);
    staging->word = 1;
    struct uat_op op = uat_op_write(&staging->word, &block->returned, 8);
    uat_check(uat_transport_forget(uat_self.transport, uat_object_rank(name), &op, 1));
}

/* The header of a waiter's block. */
static struct uat_parked *parked_of(uint64_t waiter)
{
    return (struct uat_parked *)(void *)uat_object_address(waiter);
}

void uat_object_queue(uint64_t waiter)
{
    struct uat_object *o = held;
    struct uat_staging *staging = uat_segment.staging;
    if (o->head && uat_object_is_near(o->tail))
        parked_of(o->tail)->next = waiter;
    else if (o->head) {
        struct uat_parked *last = parked_of(o->tail);
        staging->word = waiter;
        struct uat_op chain[] = {
            uat_op_write(&staging->word, &last->next, 8),
            uat_op_fetch_add(&staging->old, &last->settled, 0), /* its completion tells that the WRITE is there (S4) */
        };
        post_and_wait(o->tail, chain, 2);
    } else
        o->head = waiter;
    o->tail = waiter;
}

void uat_object_look(uint64_t waiter, struct uat_waking *waking)
{
    const struct uat_parked *parked = parked_of(waiter);
    if (uat_object_is_near(waiter)) {
        *waking = (struct uat_waking){waiter, parked->next, parked->sp, parked->base, parked->reply};
        return;
    }
    struct uat_waking *landing = (struct uat_waking *)(void *)uat_segment.staging->waking;
    uat_object_read(waiter, &landing->next, &parked->next, 4 * sizeof(uint64_t));
    *waking = *landing;
    waking->name = waiter;
    if (waking->sp < uat_segment.low || waking->sp >= waking->base || waking->base > uat_segment.high)
        uat_die("a waiter at %" PRIx64 " of rank %d has a stack outside the uni-address region; its memory is corrupt",
                waiter & ((UINT64_C(1) << 48) - 1), uat_object_rank(waiter));
}

bool uat_object_unqueue(struct uat_waking *waking)
{
    struct uat_object *o = held;
    if (!o->head)
        return false;
    uat_object_look(o->head, waking);
    o->head = o->head == o->tail ? 0 : waking->next;
    return true;
}

void uat_object_wake(const struct uat_waking *waking, enum uat_park_kind kind, uint64_t status, const void *value,
                     size_t size)
{
    if (waking->reply && uat_object_is_near(waking->name)) { /* the release in deque/ready.c stands behind it */
        *(uint64_t *)(uintptr_t)waking->reply = status;
        memcpy((char *)(uintptr_t)waking->reply + 8, value, uat_round8(size));
    } else if (waking->reply) {
        struct uat_staging *staging = uat_segment.staging;
        struct uat_op chain[3];
        int n = 0;
        staging->word = status;
        chain[n++] = uat_op_write(&staging->word, (void *)waking->reply, 8);
        if (size > 0)
            chain[n++] = uat_op_write(value, (char *)waking->reply + 8, uat_round8(size));
        /* Behind the WRITEs (O1): its completion tells that they are there, whoever READs the stack then (S5). */
        chain[n++] = uat_op_fetch_add(&staging->old, &parked_of(waking->name)->settled, 0);
        post_and_wait(waking->name, chain, n);
    }
    struct uat_ready_task task = {.sp = waking->sp, .base = waking->base, .where = waking->name};
    uat_park_ready(&task, kind);
}

void uat_object_wake_all(uint64_t head, uint64_t tail, enum uat_park_kind kind, uint64_t status, const void *value,
                         size_t size)
{
    for (uint64_t name = head; name != 0;) {
        struct uat_waking waking;
        uat_object_look(name, &waking);
        name = name == tail ? 0 : waking.next;
        uat_object_wake(&waking, kind, status, value, size);
    }
}

void uat_object_park(struct uat_park *wait, uint64_t name)
{
    uint64_t object = wait->object; /* before somebody else may use the region */
    uat_object_queue(name);
    uat_object_leave(object, 0);
}
