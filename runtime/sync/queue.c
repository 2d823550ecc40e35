/* SPDX-License-Identifier: MIT */
/* The queues of waiters: see object.h. All but the looking and the waking is done with the object's guard held. */
#include <inttypes.h>
#include <string.h>

#include "runtime/memory/frame.h"
#include "runtime/memory/segment.h"
#include "runtime/sync/object.h"
#include "runtime/watch/die.h"

/* The header of a waiter's block. */
static struct uat_parked *parked_of(uint64_t waiter)
{
    return (struct uat_parked *)(void *)uat_object_address(waiter);
}

static __attribute__((noinline)) void look_far(uint64_t waiter, struct uat_waking *waking)
{
    const struct uat_parked *parked = parked_of(waiter);
    const uint64_t *w = uat_segment.staging->waking;
    uat_object_read(waiter, uat_segment.staging->waking, &parked->next, 4 * sizeof(*w));
    *waking = (struct uat_waking){waiter, w[0], w[1], w[2], w[3], false};
    if (waking->sp != 0 &&
        (waking->sp < uat_segment.low || waking->sp >= waking->base || waking->base > uat_segment.high))
        uat_die("a waiter at %" PRIx64 " of rank %d has a stack outside the uni-address region; its memory is corrupt",
                waiter & ((UINT64_C(1) << 48) - 1), uat_object_rank(waiter));
}

void uat_object_look(uint64_t waiter, struct uat_waking *waking)
{
    const struct uat_parked *parked = parked_of(waiter);
    if (uat_object_is_near(waiter))
        *waking = (struct uat_waking){waiter, parked->next, parked->sp, parked->base, parked->reply, false};
    else
        look_far(waiter, waking);
}

/* waking is an entry of a ticket: claim that (S6), and find the task. False if it has been woken up already. */
static __attribute__((noinline)) bool claim(struct uat_waking *waking)
{
    uint64_t name = waking->base;
    struct uat_ticket *ticket = (struct uat_ticket *)(void *)uat_object_address(name);
    const uint64_t *w = &ticket->stack;
    if (uat_object_is_near(name)) {
        if (uat_object_swap_near(&ticket->claim, 0, 1) != 0)
            return false;
    } else {
        struct uat_staging *staging = uat_segment.staging;
        struct uat_op chain[] = {
            uat_op_cmp_swap(&staging->old, &ticket->claim, 0, 1),
            uat_op_read(staging->ticket, &ticket->stack, 3 * sizeof(*w)), /* constant since the entry was queued */
        };
        uat_object_post(name, chain, 2);
        if (staging->old != 0)
            return false;
        w = staging->ticket;
    }
    waking->name = w[0];
    waking->sp = w[1];
    waking->base = w[2];
    waking->select = true;
    return true;
}

bool uat_object_unqueue_slowly(struct uat_waking *waking)
{
    struct uat_object *o = uat_object_held();
    while (o->head) {
        uat_object_look(o->head, waking);
        o->head = o->head == o->tail ? 0 : waking->next;
        if (waking->sp != 0 || claim(waking))
            return true;
    }
    return false;
}

/* The name behind this one. */
static uint64_t next_of(uint64_t waiter)
{
    struct uat_waking waking;
    uat_object_look(waiter, &waking);
    return waking.next;
}

/* WRITE the name behind this one, as S4 says. */
static void link_to(uint64_t waiter, uint64_t next)
{
    struct uat_parked *parked = parked_of(waiter);
    struct uat_staging *staging = uat_segment.staging;
    if (uat_object_is_near(waiter)) {
        parked->next = next;
        return;
    }
    staging->word = next;
    struct uat_op chain[] = {
        uat_op_write(&staging->word, &parked->next, 8),
        uat_op_fetch_add(&staging->old, &parked->settled, 0), /* its completion tells that the WRITE is there */
    };
    uat_object_post(waiter, chain, 2);
}

void uat_object_queue(uint64_t waiter)
{
    struct uat_object *o = uat_object_held();
    if (o->head)
        link_to(o->tail, waiter);
    else
        o->head = waiter;
    o->tail = waiter;
}

void uat_object_remove(uint64_t entry)
{
    struct uat_object *o = uat_object_held();
    uint64_t before = 0, at = o->head;
    while (at && at != entry) {
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

/* WRITE the answer to where the task's stack is. */
void uat_object_answer_far(const struct uat_waking *waking, uint64_t status, const void *value, size_t size)
{
    struct uat_staging *staging = uat_segment.staging;
    struct uat_op chain[3];
    int n = 0;
    staging->word = status;
    chain[n++] = uat_op_write(&staging->word, (void *)waking->reply, 8);
    if (size > 0)
        chain[n++] = uat_op_write(value, (char *)waking->reply + 8, uat_round8(size));
    /* Behind the WRITEs (O1): its completion tells that they are there, whoever READs the stack then (S5). */
    chain[n++] = uat_op_fetch_add(&staging->old, &parked_of(waking->name)->settled, 0);
    uat_object_post(waking->name, chain, n);
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
