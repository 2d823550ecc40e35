/* SPDX-License-Identifier: MIT */
#include "runtime/sched/stop_request.h"

#include "base/relax.h"
#include "base/virtual.h"
#include "include/uat/detail/failure.h"
#include "runtime/job/crew.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "runtime/sched/steal.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/torture/torture.h"

/* On rank 0: 1 requests a stop; in the second word, a stop that ends the job. All workers WRITE these words. */
static struct uat_area asked_area = {
    .name = "requests of stops", .size = 2 * sizeof(uint64_t), .peers = UAT_PEERS_CHANGE};
/* The source of WRITEs. */
static struct uat_area value_area = {
    .name = "sources of stops' WRITEs", .size = sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

bool uat_stop_on;
volatile sig_atomic_t uat_stop_crew_watched, uat_stop_for_copy;

static volatile sig_atomic_t noted[2]; /* requests made in this process; noted[1] also ends the job */

void uat_stop_requests_reserve(void)
{
    uat_segment_reserve(&asked_area);
    uat_segment_reserve(&value_area);
}

static uint64_t *asked(bool end)
{
    return (uint64_t *)asked_area.at + end;
}

void uat_stop_requests_close(void)
{
    uat_stop_on = false;
    uat_stop_for_copy = 0;
    noted[0] = noted[1] = 0;
}

void uat_stop_requests_reset(void)
{
    *asked(false) = *asked(true) = 0;
    uat_stop_crew_watched = 0;
}

bool uat_stop_is_asked(void)
{
    /* Relaxed: a hint, which is read again and again. Pairs with the WRITE in uat_stop_ask(). */
    return uat_stop_for_copy || noted[0] || noted[1] || __atomic_load_n(asked(false), __ATOMIC_RELAXED) ||
           __atomic_load_n(asked(true), __ATOMIC_RELAXED);
}

void uat_stop_watch(void)
{
    struct uat_deque *d = &uat_worker.deque;
    bool always = uat_torture_on || UAT_IS_VIRTUAL() || uat_stacks || uat_failing.yes || uat_crew_leaves();
    uat_deque_watch(d, always);
    /* a signal may have arrived before the call above */
    if (!always && (uat_stop_crew_watched || uat_relax_lost() || (uat_stop_on && uat_stop_is_asked())))
        uat_deque_watch(d, true);
}

void uat_stop_put(int rank, uint64_t *word, uint64_t value)
{
    uint64_t *source = value_area.at;
    *source = value;
    struct uat_op op = uat_op_write(source, word, 8);
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
    uat_crew_wake(rank);
}

void uat_stop_note(bool end)
{
    noted[end] = 1;
    if (uat_worker.running) /* this thread, or a handler that interrupts it: its next push or pop sees the store */
        uat_deque_watch(&uat_worker.deque, true);
}

void uat_stop_ask(bool end)
{
    if (uat_self.rank == 0) {
        uat_stop_note(end);
        return;
    }
    /* this WRITE completes before the poke, so a slow path caused by the poke sees the request */
    uat_stop_put(0, asked(end), 1);
    uat_check(uat_steal_poke(0));
}

void uat_stop_pass_on(void)
{
    if (__builtin_expect(!noted[0] && !noted[1], 1))
        return;
    for (int end = 0; end < 2; end++)
        if (noted[end]) {
            noted[end] = 0;
            uat_stop_ask(end);
        }
    uat_stop_watch();
}

/* Clear only a word that was seen set: a request may arrive between the load and the store. */
bool uat_stop_take(bool end)
{
    bool here = noted[end], there = __atomic_load_n(asked(end), __ATOMIC_RELAXED); /* relaxed: as uat_stop_is_asked() */
    if (here)
        noted[end] = 0;
    if (there)
        __atomic_store_n(asked(end), 0, __ATOMIC_RELAXED); /* pairs with the WRITE in uat_stop_ask() */
    return here || there;
}
