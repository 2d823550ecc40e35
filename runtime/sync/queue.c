/* SPDX-License-Identifier: MIT */
/* The queues of waiters: see waitobj.h. These functions need the object's guard, except those that only read a waiter's
 * header or wake its task. */
#include <string.h>

#include "base/word.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "runtime/job/self.h"

/* The header of a waiter's block. */
static struct uat_parked *parked_of(uint64_t waiter)
{
    return (struct uat_parked *)(void *)uat_waitobj_address(waiter);
}

/* READ a waiter's header. Returns the name of the object that it waits for. */
static __attribute__((noinline)) uint64_t look_far(uint64_t waiter, struct uat_waking *waking)
{
    enum { NEXT, SP, BASE, REPLY, SETTLED, OBJECT, WORDS }; /* words of a header, from `next` on */
    const struct uat_parked *parked = parked_of(waiter);
    const uint64_t *w = uat_sync_staging()->waking;
    uat_waitobj_read(waiter, uat_sync_staging()->waking, &parked->next, WORDS * sizeof(*w));
    *waking = (struct uat_waking){waiter, w[NEXT], w[SP], w[BASE], w[REPLY], false};
    return w[OBJECT];
}

static void check_name(uint64_t waiter)
{
    if (!uat_park_is_header(waiter))
        uat_word_refuse(uat_waitobj_held_rank(), "a name in the queue of an object", waiter);
}

void uat_waitobj_look(uint64_t waiter, struct uat_waking *waking)
{
    const struct uat_parked *parked = parked_of(waiter);
    uint64_t object;
    check_name(waiter);
    if (uat_waitobj_is_near(waiter)) {
        *waking = (struct uat_waking){waiter, parked->next, parked->sp, parked->base, parked->reply, false};
        object = parked->object;
    } else {
        object = look_far(waiter, waking);
    }
    if (object != uat_waitobj_held_name())
        uat_word_refuse(uat_waitobj_rank(waiter), "what the waiter in a queue waits for", object);
    if (waking->sp != 0 && !uat_park_is_stack(waking->sp, waking->base))
        uat_word_refuse(uat_waitobj_rank(waiter), "the stack of a waiter",
                        waking->sp < waking->base ? waking->base : waking->sp);
}

void uat_waitobj_refuse_reply(const struct uat_waking *waking)
{
    uat_word_refuse(uat_waitobj_rank(waking->name), "the reply of a waiter", waking->reply);
}

/* Check the claim of a select waiter that another worker has claimed. Returns false. */
static bool check_claimed(uint64_t name, uint64_t claimed)
{
    if (claimed != 1)
        uat_word_refuse(uat_waitobj_rank(name), "the claim of a select waiter", claimed);
    return false;
}

/* Claim the select waiter of the entry `waking` (S6), and find its task. Returns false if the task has been woken
 * already. */
static __attribute__((noinline)) bool claim(struct uat_waking *waking)
{
    uint64_t name = waking->base;
    if (!uat_park_is_block(name, sizeof(struct uat_select_waiter)))
        uat_word_refuse(uat_waitobj_rank(waking->name), "the select waiter of an entry", name);
    struct uat_select_waiter *waiter = (struct uat_select_waiter *)(void *)uat_waitobj_address(name);
    const uint64_t *w = &waiter->stack;
    if (uat_waitobj_is_near(name)) {
        uint64_t claimed = uat_waitobj_swap_near(&waiter->claim, 0, 1);
        if (claimed != 0)
            return check_claimed(name, claimed);
    } else {
        struct uat_sync_staging *staging = uat_sync_staging();
        struct uat_op chain[] = {
            uat_op_cmp_swap(&staging->old, &waiter->claim, 0, 1),
            uat_op_read(staging->select_waiter, &waiter->stack,
                        3 * sizeof(*w)), /* constant since the entry was queued */
        };
        uat_waitobj_do(name, chain, 2);
        if (staging->old != 0)
            return check_claimed(name, staging->old);
        w = staging->select_waiter;
    }
    waking->name = w[0];
    waking->sp = w[1];
    waking->base = w[2];
    waking->select = true;
    if (!uat_park_is_stack(w[1], w[2]) || !uat_park_is_block(w[0], w[2] - w[1]))
        uat_word_refuse(uat_waitobj_rank(name), "the stack of a select", w[0]);
    return true;
}

bool uat_waitobj_unqueue_slowly(struct uat_waking *waking)
{
    struct uat_waitobj *o = uat_waitobj_held();
    while (o->head) {
        uat_waitobj_look(o->head, waking);
        o->head = o->head == o->tail ? 0 : waking->next;
        if (waking->sp != 0 || claim(waking))
            return true;
    }
    return false;
}

void uat_waitobj_check_length(uint64_t passed, uint64_t at)
{
    if (passed > (uint64_t)uat_park_names() * (uat_segment.heap_size / UAT_READY_STACK))
        uat_word_refuse(uat_waitobj_rank(at), "the name of the next waiter", at);
}

/* The name of the next waiter. */
static uint64_t next_of(uint64_t waiter)
{
    struct uat_waking waking;
    uat_waitobj_look(waiter, &waking);
    return waking.next;
}

/* WRITE the next waiter's name into this waiter's header, as S4 says. */
static void link_to(uint64_t waiter, uint64_t next)
{
    struct uat_parked *parked = parked_of(waiter);
    struct uat_sync_staging *staging = uat_sync_staging();
    if (uat_waitobj_is_near(waiter)) {
        parked->next = next;
        return;
    }
    staging->word = next;
    struct uat_op chain[] = {
        uat_op_write(&staging->word, &parked->next, 8),
        uat_op_fetch_add(&staging->old, &parked->settled, 0), /* its completion proves that the WRITE has arrived */
    };
    uat_waitobj_do(waiter, chain, 2);
}

void uat_waitobj_queue(uint64_t waiter)
{
    struct uat_waitobj *o = uat_waitobj_held();
    if (o->head) {
        check_name(o->tail);
        link_to(o->tail, waiter);
    } else
        o->head = waiter;
    o->tail = waiter;
}

void uat_waitobj_remove(uint64_t entry)
{
    struct uat_waitobj *o = uat_waitobj_held();
    uint64_t before = 0, at = o->head, passed = 0;
    while (at && at != entry) {
        uat_waitobj_check_length(++passed, at);
        before = at;
        at = at == o->tail ? 0 : next_of(at);
    }
    if (!at)
        return;
    if (before && at == o->tail)
        o->tail = before;
    else if (before)
        link_to(before, next_of(at));
    else
        o->head = at == o->tail ? 0 : next_of(at);
}

/* WRITE the answer into the task's evacuated stack. */
static void answer_far(const struct uat_waking *waking, uint64_t status, const void *value, size_t size)
{
    struct uat_sync_staging *staging = uat_sync_staging();
    struct uat_op chain[3];
    int n = 0;
    staging->word = status;
    chain[n++] = uat_op_write(&staging->word, (void *)waking->reply, 8);
    if (size > 0)
        chain[n++] = uat_op_write(value, (char *)waking->reply + 8, uat_round8(size));
    /* This operation takes effect after the WRITEs (O1). So its completion proves that they have arrived, for any
     * worker that READs the stack (S5). */
    chain[n++] = uat_op_fetch_add(&staging->old, &parked_of(waking->name)->settled, 0);
    uat_waitobj_do(waking->name, chain, n);
}

void uat_waitobj_wake_far(const struct uat_waking *waking, enum uat_park_kind kind, uint64_t status, const void *value,
                          size_t size)
{
    if (waking->reply) {
        uat_waitobj_reply(waking, size); /* the check */
        answer_far(waking, status, value, size);
    }
    /* Append to this worker's list. uat_ready_offer(), deque/ready.c, offers the oldest tasks of the list.
     * uat_park_take_own() takes the task on this worker, or uat_park_take_other() on another one: sched/park.c. */
    uat_waitobj_ready(waking, kind);
}

void uat_waitobj_wake_all(uint64_t head, uint64_t tail, enum uat_park_kind kind, uint64_t status, const void *value,
                          size_t size)
{
    uint64_t passed = 0;
    for (uint64_t name = head; name != 0;) {
        struct uat_waking waking;
        uat_waitobj_check_length(++passed, name);
        uat_waitobj_look(name, &waking);
        name = name == tail ? 0 : waking.next;
        if (kind == UAT_PARK_CONDITION || kind == UAT_PARK_SHARED) /* the reply is a tag, no longer needed */
            waking.reply = 0;
        if (uat_waitobj_is_near(waking.name))
            uat_waitobj_wake(&waking, kind, status, value, size);
        else
            uat_waitobj_wake_far(&waking, kind, status, value, size);
    }
}

/* If the object is far, uat_waitobj_leave_far(), waitobj.c, posts { WRITE words; CMP_SWAP guard }, and does not wait
 * (S2). */
void uat_waitobj_park(struct uat_park *wait, uint64_t name)
{
    uint64_t object = wait->object; /* save it before another task may use the region */
    uat_waitobj_queue(name);
    uat_waitobj_leave(object, 0);
}
