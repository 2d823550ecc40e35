/* SPDX-License-Identifier: MIT */
#include "runtime/trace/clock.h"

#include <sched.h>
#include <stdbool.h>

#include "base/relax.h"
#include "base/virtual.h"
#include "base/word.h"
#include "runtime/job/collective.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"

/* Rank 0's counter. Written by its own CPU only; READ by peers in look(). */
static struct uat_area shown = {.name = "rank 0's clock", .size = sizeof(uint64_t), .peers = UAT_PEERS_READ};
/* HCA atomics only: each peer adds 1 once it has READ the counter often enough. */
static struct uat_area readers_area = {
    .name = "readers of the clock", .size = sizeof(uint64_t), .peers = UAT_PEERS_CHANGE, .striped = true};
static struct uat_area landing = {.name = "landing of the clock", .size = sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

static uint64_t comparisons; /* number of comparisons that have started */

enum { FRESH = 32 /* number of different values to see before the best one is used */ };

void uat_clock_reserve(void)
{
    uat_segment_reserve(&shown);
    uat_segment_reserve(&readers_area);
    uat_segment_reserve(&landing);
}

/* Rank 0: store its counter again and again, until all other ranks have READ it often enough. */
static int show(uint64_t readers)
{
    uint64_t *clock = shown.at;
    const uint64_t *seen_by = readers_area.at;
    struct uat_relax relax = {0};
    /* The loads and stores are relaxed: `clock` only grows, and `seen_by` says when to stop. They order no other data.
     * Pairs with look() of the other ranks. */
    for (uint64_t seen; (seen = __atomic_load_n(seen_by, __ATOMIC_RELAXED)) != readers;) {
        if (seen > readers)
            return uat_word_report(0, "the number of readers of the clock", seen);
        __atomic_store_n(clock, uat_counter(), __ATOMIC_RELAXED);
        int rc = uat_self.transport->class_->progress(uat_self.transport);
        if (rc)
            return rc;
        uat_relax(&relax);
    }
    return 0;
}

/* READ rank 0's counter repeatedly, and keep the value with the shortest delay. */
static int look(struct uat_clock *clock)
{
    const uint64_t *landed = landing.at;
    uint64_t last = 0;
    bool any = false;
    for (int fresh = 0; fresh < FRESH;) {
        struct uat_op op = uat_op_read(landing.at, shown.at, 8);
        uint64_t begin = uat_counter();
        int rc = uat_transport_do(uat_self.transport, 0, &op, 1);
        uint64_t end = uat_counter(), seen = *landed;
        if (rc)
            return rc;
        if (uat_relax_oversubscribed)
            sched_yield(); /* rank 0 may need this core */
        if (seen == last)
            continue;
        fresh++;
        last = seen;
        if (!any || (int64_t)((end - seen) - (clock->own - clock->zero)) < 0)
            *clock = (struct uat_clock){.own = begin + (end - begin) / 2, .zero = seen};
        any = true;
    }
    struct uat_op done = uat_op_fetch_add(landing.at, uat_segment_of(0, readers_area.at), 1);
    return uat_transport_do(uat_self.transport, 0, &done, 1);
}

int uat_clock_compare(struct uat_clock *clock)
{
    uint64_t now = uat_counter();
    *clock = (struct uat_clock){now, now};
    comparisons++;
    int rc = uat_collective_barrier(); /* rank 0 is about to show its counter */
    if (!rc && !UAT_IS_VIRTUAL())      /* virtual time is the same everywhere */
        rc = uat_self.rank == 0 ? show(comparisons * (uint64_t)(uat_self.size - 1)) : look(clock);
    return rc ? rc : uat_collective_barrier();
}

uint64_t uat_clock_map(const struct uat_clock *first, const struct uat_clock *last, uint64_t own)
{
    double own_span = (double)(int64_t)(last->own - first->own),
           zero_span = (double)(int64_t)(last->zero - first->zero);
    double since = (double)(int64_t)(own - first->own);
    if (own_span <= 0 || zero_span <= 0)
        return first->zero + (own - first->own);
    return first->zero + (uint64_t)(int64_t)(since * (zero_span / own_span));
}
