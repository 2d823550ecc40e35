/* SPDX-License-Identifier: MIT */
#include "runtime/sched/sleep.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/virtual.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"
#include "runtime/sched/deadlock.h"

enum {
    ROOM = 16,               /* tasks for which the heap has room at first */
    PAUSE_MAX_NS = 10000000, /* a signal that arrives just before the pause is seen after this time */
};

struct uat_sleepers uat_sleepers;

static _Noreturn void no_memory(void)
{
    uat_fatal("no memory for the list of %zu sleeping tasks", uat_sleepers.count);
}

void uat_sleep_add(const struct uat_sleeper *sleeper)
{
    struct uat_sleepers *s = &uat_sleepers;
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : ROOM;
        struct uat_sleeper *more = realloc(s->heap, room * sizeof(*more));
        if (!more)
            no_memory();
        s->heap = more;
        s->room = room;
    }
    size_t at = s->count++;
    for (; at > 0 && s->heap[(at - 1) / 2].due > sleeper->due; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = *sleeper;
}

/* Take the task out of the heap that is due first. */
static struct uat_sleeper take(void)
{
    struct uat_sleepers *s = &uat_sleepers;
    const struct uat_sleeper first = s->heap[0], last = s->heap[--s->count];
    size_t at = 0;
    for (size_t child = 1; child < s->count; child = 2 * at + 1) {
        if (child + 1 < s->count && s->heap[child + 1].due < s->heap[child].due)
            child++;
        if (s->heap[child].due >= last.due)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return first;
}

void uat_sleep_wake(void)
{
    uint64_t now = uat_clock_ns();
    if (uat_sleepers.heap[0].due > now)
        return;
    uat_notice_begin(uat_stall_notice()); /* W1 */
    while (uat_sleepers.count > 0 && uat_sleepers.heap[0].due <= now) {
        const struct uat_sleeper due = take();
        uat_sleepers.push(&due.task);
        uat_deadlock_woke();
    }
}

void uat_sleep_pause(void)
{
    uint64_t now = uat_clock_ns(), due = uat_sleepers.heap[0].due, ns = due > now ? due - now : 0;
    if (UAT_IS_VIRTUAL())
        uat_virtual->pause(ns);
    else
        nanosleep(&(struct timespec){.tv_nsec = (long)(ns < PAUSE_MAX_NS ? ns : PAUSE_MAX_NS)}, NULL);
}

uint64_t uat_sleep_due(uint64_t ns)
{
    uint64_t now = uat_clock_ns();
    return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

void uat_sleep_close(void)
{
    free(uat_sleepers.heap);
    uat_sleepers = (struct uat_sleepers){.push = uat_sleepers.push};
}
