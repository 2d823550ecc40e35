/* SPDX-License-Identifier: MIT */
/*
 * Waiting for several channels, as in Go. A select takes the guards of all channels, in the order of their names. If no
 * case is possible at once, the task is evacuated, and is queued at all channels by entries of a select waiter (S6, S7
 * in waitobj.h). Model: tests/model/select.pml.
 */
#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "base/word.h"
#include "include/uat/channel.h"
#include "include/uat/sync.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sync/channel.h"
#include "runtime/sync/waitobj.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"

_Static_assert((int)UAT_SELECT_MAX <= (int)UAT_HELD_MAX, "a copy of each channel's words");

/* The status word of a case that was not taken. */
#define NOT_TAKEN UINT64_MAX

/*
 * A call of select. It lies in the task's frame. `words` is valid on one worker only, so it is not used once the task
 * may have moved.
 */
struct select {
    const char *what;
    uat_case_t *cases;
    int n, channels;
    int order[UAT_SELECT_MAX];                 /* the first case of each channel, in the order of the channels' names */
    struct uat_waitobj *words[UAT_SELECT_MAX]; /* words of each case's channel, while the guards are held */
    size_t slot[UAT_SELECT_MAX];               /* where the answer to each case goes: a status word, then the value */
};

/* Sort the channels by name, without duplicates. */
static void sort(struct select *s)
{
    for (int i = 0; i < s->n; i++) {
        uint64_t name = s->cases[i].channel.object;
        int at = s->channels;
        while (at > 0 && s->cases[s->order[at - 1]].channel.object > name)
            at--;
        if (at > 0 && s->cases[s->order[at - 1]].channel.object == name) {
            if (!s->cases[s->order[at - 1]].sends != !s->cases[i].sends)
                uat_fatal("%s: cases %d and %d send to and receive from one channel; a select may do one of the two",
                          s->what, s->order[at - 1], i);
            continue;
        }
        memmove(&s->order[at + 1], &s->order[at], (size_t)(s->channels - at) * sizeof(s->order[0]));
        s->order[at] = i;
        s->channels++;
    }
}

static void begin(struct select *s, const char *what, uat_case_t *cases, int n)
{
    *s = (struct select){.what = what, .cases = cases, .n = n};
    if (n < 1 || n > UAT_SELECT_MAX)
        uat_fatal("%s: %d cases; a select takes 1 to %d", what, n, UAT_SELECT_MAX);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), at = (uintptr_t)cases;
    if (uat_deque_size(&uat_worker.deque) > 0 && (at < here || at >= uat_stacks_running_base()))
        uat_fatal("%s: the cases at %p are not in the calling task's own frames; they could not migrate with the task",
                  what, (void *)cases);
    sort(s);
    for (int k = 0; k < s->channels; k++) {
        int i = s->order[k];
        s->words[i] = uat_waitobj_take_more(cases[i].channel.object, UAT_PARK_RECEIVE, what, k);
        for (int other = 0; other < n; other++) {
            if (cases[other].channel.object != cases[i].channel.object)
                continue;
            s->words[other] = s->words[i];
            uat_channel_check(cases[other].channel, what);
        }
    }
}

/* Free all guards except the guard of the channel of case `taken`. If `taken` is -1, free all guards. */
static void leave_others(const struct select *s, int taken)
{
    for (int k = 0; k < s->channels; k++) {
        uint64_t name = s->cases[s->order[k]].channel.object;
        if (taken >= 0 && s->cases[taken].channel.object == name)
            continue;
        uat_waitobj_hold(s->words[s->order[k]]);
        uat_waitobj_leave(name, 0);
    }
}

/*
 * Try the cases in turn, starting at a random one, until a case is possible at once. Returns its index, with all guards
 * free, or -EAGAIN, with all guards held.
 */
static int do_one_now(struct select *s)
{
    static struct uat_random random;
    if (!random.state)
        random = uat_random_seed(0, (uint64_t)uat_self.rank);
    int first = (int)(uat_random_next(&random) % (uint64_t)s->n);
    for (int k = 0; k < s->n; k++) {
        int i = (first + k) % s->n;
        uat_case_t *one = &s->cases[i];
        uat_waitobj_hold(s->words[i]);
        if (one->sends)
            memcpy(uat_sync_staging()->value, one->value, one->channel.size);
        enum uat_channel_outcome outcome =
            one->sends ? uat_channel_send_now(one->channel) : uat_channel_receive_now(one->channel);
        if (outcome == UAT_CHANNEL_MUST_WAIT)
            continue;
        one->status = outcome == UAT_CHANNEL_DONE ? 0 : -EPIPE;
        if (!one->sends && outcome == UAT_CHANNEL_DONE)
            memcpy(one->value, uat_sync_staging()->value, one->channel.size);
        leave_others(s, i);
        return i;
    }
    return -EAGAIN;
}

int uat_try_select(uat_case_t *cases, int n)
{
    struct select s;
    begin(&s, "uat_try_select()", cases, n);
    int taken = do_one_now(&s);
    if (taken < 0) {
        leave_others(&s, -1);
        uat_waitobj_poll_failed();
    }
    return taken;
}

struct select_wait {
    struct uat_park wait;
    struct select *select;
    uint64_t waiter;
};

static struct uat_select_waiter *waiter_of(uint64_t name)
{
    return (struct uat_select_waiter *)(void *)uat_waitobj_address(name);
}

/* The name of a select waiter's entry. */
static uint64_t entry_of(uint64_t waiter, int i)
{
    return waiter + sizeof(struct uat_select_waiter) + (uint64_t)i * sizeof(struct uat_parked);
}

/*
 * On the scheduler's side, with all guards held: queue the task's entries (S7). Once the first guard is free, the task
 * may be resumed elsewhere.
 */
static void park(struct uat_park *wait, uint64_t name)
{
    struct select_wait *w = (struct select_wait *)(void *)wait;
    const struct select *s = w->select;
    const struct uat_parked *parked = (const struct uat_parked *)(const void *)uat_waitobj_address(name);
    struct uat_select_waiter *waiter = waiter_of(w->waiter);
    waiter->stack = name;
    waiter->sp = parked->sp;
    waiter->base = parked->base;
    for (int i = 0; i < s->n; i++) {
        waiter->entry[i] = (struct uat_parked){.base = w->waiter,
                                               .reply = parked->reply + s->slot[i] * sizeof(uint64_t),
                                               .object = s->cases[i].channel.object};
        uat_waitobj_hold(s->words[i]);
        uat_channel_queue(entry_of(w->waiter, i), s->cases[i].sends);
    }
    leave_others(s, -1);
}

static uint64_t make_waiter(const struct select *s)
{
    size_t bytes = sizeof(struct uat_select_waiter) - UAT_HEAP_HEADER + (size_t)s->n * sizeof(struct uat_parked);
    struct uat_block *block = uat_heap_get(&uat_heap, bytes);
    if (!block)
        uat_fatal("UAT_HEAP_SIZE=%zuk leaves no room for a task that waits for %d channels; set it to %zuk or more",
                  uat_segment.heap_size >> 10, s->n, uat_heap_advice(bytes));
    struct uat_select_waiter *waiter = (struct uat_select_waiter *)(void *)block;
    waiter->unused[0] = waiter->unused[1] = waiter->unused[2] = 0; /* as a struct uat_parked: kind UAT_PARK_NONE */
    /* Relaxed: no peer knows the select waiter yet; freeing the guards after its entries were queued publishes it. */
    __atomic_store_n(&waiter->claim, 0, __ATOMIC_RELAXED);
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)block;
}

/* Remove the remaining entries, and give the select waiter back (S7). */
static void end_waiter(const struct select *s, uint64_t name, int taken)
{
    for (int i = 0; i < s->n; i++) {
        if (i == taken)
            continue;
        uat_waitobj_take(s->cases[i].channel.object, UAT_PARK_RECEIVE, s->what);
        uat_channel_remove(entry_of(name, i));
        uat_waitobj_leave(s->cases[i].channel.object, 0);
    }
    struct uat_block *block = (struct uat_block *)(void *)waiter_of(name);
    if (uat_waitobj_rank(name) == uat_self.rank) {
        uat_heap_put(&uat_heap, block);
        return;
    }
    uat_keeper_give_back(uat_waitobj_rank(name), &block->returned);
}

int uat_select(uat_case_t *cases, int n)
{
    struct select s;
    begin(&s, "uat_select()", cases, n);
    int taken = do_one_now(&s);
    if (taken >= 0)
        return taken;
    size_t words = 0;
    for (int i = 0; i < n; i++) {
        s.slot[i] = words;
        words += 1 + uat_round8(cases[i].channel.size) / sizeof(uint64_t);
    }
    uint64_t slots[words];
    for (int i = 0; i < n; i++) {
        slots[s.slot[i]] = NOT_TAKEN;
        if (cases[i].sends)
            memcpy(&slots[s.slot[i] + 1], cases[i].value, cases[i].channel.size);
    }
    struct select_wait w = {.wait = {.kind = UAT_PARK_SELECT, .reply = slots, .park = park}, .select = &s};
    w.waiter = make_waiter(&s);
    uat_park(&w.wait);
    for (taken = 0; taken < n && slots[s.slot[taken]] == NOT_TAKEN;)
        taken++;
    if (taken == n)
        uat_word_refuse(uat_self.rank, "the answer to a select", NOT_TAKEN);
    cases[taken].status = -(int)slots[s.slot[taken]];
    if (!cases[taken].sends && cases[taken].status == 0)
        memcpy(cases[taken].value, &slots[s.slot[taken] + 1], cases[taken].channel.size);
    end_waiter(&s, w.waiter, taken);
    return taken;
}
