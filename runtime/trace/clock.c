/* SPDX-License-Identifier: MIT */
#include "runtime/trace/clock.h"

#include <sched.h>
#include <stdbool.h>

#include "base/relax.h"
#include "base/virtual.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"

static uint64_t comparisons; /* entered */

enum { FRESH = 32 /* different values to see before the best is taken */ };

/* Rank 0 shows its counter until all others have seen enough of it. */
static int show(uint64_t readers)
{
    struct uat_control *control = uat_segment.control;
    struct uat_relax relax = {0};
    /* Relaxed, both: a number that grows, and a number that says when to stop; nothing is passed on with them. The peer
     * is look() of the other ranks. */
    while (__atomic_load_n(&control->clock_readers, __ATOMIC_RELAXED) < readers) {
        __atomic_store_n(&control->clock, uat_counter(), __ATOMIC_RELAXED);
        int rc = uat_self.transport->class_->progress(uat_self.transport);
        if (rc)
            return rc;
        uat_relax(&relax);
    }
    return 0;
}

/* READ rank 0's counter repeatedly: the value with the least lag is the best. */
static int look(struct uat_clock *clock)
{
    uint64_t *landing = &uat_segment.staging->word, last = 0;
    struct uat_control *there = uat_segment_of(0, uat_segment.control);
    bool any = false;
    for (int fresh = 0; fresh < FRESH;) {
        struct uat_op op = uat_op_read(landing, &there->clock, 8);
        uint64_t begin = uat_counter();
        int rc = uat_transport_do(uat_self.transport, 0, &op, 1);
        uint64_t end = uat_counter(), seen = *landing;
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
    struct uat_op done = uat_op_fetch_add(&uat_segment.staging->old, &there->clock_readers, 1);
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
