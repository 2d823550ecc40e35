/* SPDX-License-Identifier: MIT */
#include "runtime/sched/stop.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/delay.h"
#include "base/log.h"
#include "base/relax.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "runtime/global/global.h"
#include "runtime/segment/segment.h"
#include "runtime/sched/steal.h"
#include "runtime/torture/torture.h"
#include "runtime/task/worker.h"

/* An order: number of the run, number of the stop, and END. 0 is no order. */
#define END UINT64_C(1)
/* added to `still` by a worker that cannot stop, and to `verdict` if some worker cannot stop */
#define CANNOT (UINT64_C(1) << 63)

enum {
    POKE_EVERY_NS = 50000, /* time between two rounds of pokes */
    POLLS = 1000,          /* number of failed polls after which a worker refuses to stop */
    AGAIN_NS = 20000000    /* time between a stop that a worker refused and the next attempt */
};

/* The words by which workers tell each other about stops. Only this rank's CPU stores `still`; rank 0 WRITEs `order`;
 * the parent in the tree WRITEs `verdict`. */
struct words {
    _Alignas(UAT_CACHE_LINE) uint64_t order, verdict;
    _Alignas(UAT_CACHE_LINE) uint64_t still;
};

static struct uat_area words_area = {.name = "stops", .size = sizeof(struct words), .peers = UAT_PEERS_CHANGE};
/* The target of READs of `still`. */
static struct uat_area staging_area = {
    .name = "staging of stops", .size = sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

bool uat_stop_postponed;
bool (*uat_stop_hindered)(void);
uat_task_t uat_stop_mark;
jmp_buf uat_stop_back;

static struct stop {
    struct uat_stop_user user;
    struct uat_chain chain;
    uint64_t run, number;
    bool requested;  /* rank 0: the order that is being served is for a request, not only for uat_stop_for_copy */
    uint64_t served; /* the last order for which this worker became still */
    bool *seen;      /* rank 0: which workers are still */
    uint64_t ns;
    bool refused; /* rank 0: the last order was refused; the next one follows after AGAIN_NS */
    uint64_t refused_at;
    uint64_t polled; /* the order during which the task has polled */
    unsigned times;  /* it has polled this often */
} stop;

void uat_stop_reserve(void)
{
    uat_segment_reserve(&words_area);
    uat_segment_reserve(&staging_area);
    uat_stop_requests_reserve();
}

static struct words *words(void)
{
    return words_area.at;
}

int uat_stop_open(const struct uat_stop_user *user)
{
    stop.user = *user;
    stop.seen = uat_self.rank == 0 ? calloc((size_t)uat_self.size, sizeof(*stop.seen)) : NULL;
    if (uat_self.rank == 0 && !stop.seen) {
        uat_error("no memory for the list of workers that have stopped");
        return -ENOMEM;
    }
    uat_stop_on = true;
    return 0;
}

void uat_stop_close(void)
{
    uat_stop_requests_close();
    uat_stop_postponed = false;
    free(stop.seen);
    free(stop.chain.entries);
    stop = (struct stop){0};
}

void uat_stop_reset(void)
{
    uat_stop_requests_reset();
    memset(words(), 0, sizeof(struct words));
    free(stop.chain.entries);
    stop = (struct stop){.user = stop.user, .seen = stop.seen};
}

void uat_stop_note_again(void)
{
    bool end = uat_stop_take(true) || (stop.requested && (stop.served & END));
    bool other = uat_stop_take(false) || (stop.requested && !(stop.served & END));
    if (end)
        uat_stop_note(true);
    if (other)
        uat_stop_note(false);
}

void uat_stop_run(void)
{
    stop.run++;
}

/* Relaxed: the order is this one word. Pairs with the WRITE in lead(). */
static uint64_t load_order(void)
{
    return __atomic_load_n(&words()->order, __ATOMIC_RELAXED);
}

static bool is_of_this_run(uint64_t order)
{
    return order >> 32 == (stop.run & 0x3fffffff);
}

static bool has_order(void)
{
    uat_relax_look();
    if (uat_self.rank == 0)
        return uat_stop_is_asked() && !(stop.refused && uat_clock_ns() - stop.refused_at < AGAIN_NS);
    uat_stop_pass_on();
    uint64_t order = load_order();
    return order != stop.served && is_of_this_run(order);
}

bool uat_stop_ordered(void)
{
    if (__builtin_expect(!has_order(), 1))
        return false;
    if (!uat_stop_hindered || !uat_stop_hindered())
        return true;
    uat_stop_refuse();
    return false;
}

void uat_stop_task(void)
{
    uat_join_wait(&uat_stop_mark);
}

const struct uat_chain *uat_stop_chain(void)
{
    return &stop.chain;
}

bool uat_stop_is_requested(void)
{
    return stop.requested;
}

uint64_t uat_stop_ns(void)
{
    return stop.ns;
}

/* A still worker refuses requests, and lets the transport make progress. */
static void keep_still(void)
{
    uat_deque_refuse(&uat_worker.deque);
    uat_check(uat_self.transport->class_->progress(uat_self.transport));
}

/* Publish that this worker is still, or that it cannot stop. */
static void show(uint64_t still)
{
    uat_check(uat_self.transport->class_->flush(uat_self.transport)); /* K2, K3 */
    uat_delay();
    /* Release: orders what this worker did before this store. Pairs with the READ in look_at(). */
    uat_cpu_store_release(&words()->still, still);
}

static void put_all(uint64_t *word, uint64_t value)
{
    for (int rank = 1; rank < uat_self.size; rank++)
        uat_stop_put(rank, word, value);
}

/* Send the verdict to this worker's children in a binomial tree whose root is rank 0. If some worker cannot stop, no
 * worker passes the verdict on: rank 0 sends it to all. */
static void tell(uint64_t verdict)
{
    int step = 1;
    while (step < uat_self.size && (uat_self.rank & step) == 0)
        step <<= 1;
    for (step >>= 1; step > 0 && !(verdict & CANNOT); step >>= 1)
        if (uat_self.rank + step < uat_self.size)
            uat_stop_put(uat_self.rank + step, &words()->verdict, verdict);
    if (uat_self.rank == 0 && (verdict & CANNOT))
        put_all(&words()->verdict, verdict);
}

/* Has the worker of this rank become still, or said that it cannot stop? If it cannot stop, adds CANNOT to *verdict. */
static bool look_at(int rank, uint64_t *verdict)
{
    uint64_t *still = staging_area.at;
    struct uat_op op = uat_op_read(still, &words()->still, 8);
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
    if ((*still & ~CANNOT) != (*verdict & ~CANNOT))
        return false;
    *verdict |= *still & CANNOT;
    return true;
}

/* Report the first worker that has not stopped, once the wait has lasted for UAT_STALL_TIMEOUT. */
static void report_late(uint64_t begin, bool *reported)
{
    uint64_t waited = uat_clock_ns() - begin;
    if (*reported || uat_job_settings.stall_timeout == 0 ||
        waited < (uint64_t)uat_job_settings.stall_timeout * UAT_SECONDS)
        return;
    *reported = true;
    for (int rank = 1; rank < uat_self.size; rank++)
        if (!stop.seen[rank]) {
            uat_warn("a stop has waited %" PRIu64 " s for rank %d, whose task has not spawned, joined, waited or "
                     "ended",
                     waited / UAT_SECONDS, rank);
            return;
        }
}

/* Order all workers to stop, and wait until they are still. Returns the verdict, or 0 if the run's end came first. */
static uint64_t lead(uint64_t order)
{
    struct uat_relax relax = {0};
    uint64_t verdict = order, begin = uat_clock_ns(), poked = 0;
    bool reported = false;
    put_all(&words()->order, order);
    memset(stop.seen, 0, (size_t)uat_self.size * sizeof(*stop.seen));
    for (int missing = uat_self.size - 1; missing > 0 && !(verdict & CANNOT);) {
        bool pokes = uat_clock_ns() - poked >= POKE_EVERY_NS;
        poked = pokes ? uat_clock_ns() : poked;
        for (int rank = 1; rank < uat_self.size; rank++) {
            if (stop.seen[rank])
                continue;
            stop.seen[rank] = look_at(rank, &verdict);
            missing -= stop.seen[rank];
            if (!stop.seen[rank] && pokes)
                uat_check(uat_steal_poke(rank));
        }
        if (uat_collective_announced())
            return 0;
        keep_still();
        uat_relax_away(&relax);
        report_late(begin, &reported);
    }
    stop.ns = uat_clock_ns() - begin;
    return verdict;
}

/* Wait for rank 0's verdict. Returns it, or 0 if the run's end or another order came first. */
static uint64_t follow(uint64_t order)
{
    struct uat_relax relax = {0};
    for (;;) {
        /* Acquire: orders the verdict before this worker's later accesses to its memory. Pairs with the WRITE in
         * tell(), before which all workers have completed their operations. */
        uint64_t verdict = uat_cpu_load_acquire(&words()->verdict);
        if ((verdict & ~CANNOT) == order)
            return verdict;
        if (uat_collective_announced() || load_order() != order) /* the order is void */
            return 0;
        keep_still();
        uat_relax_long(&relax);
    }
}

/* Rank 0: begin a stop, and return its order. A request that arrives from now on is served by the next stop (K5). */
static uint64_t begin(void)
{
    bool asked = uat_stop_take(false);
    bool end = uat_stop_take(true);
    uat_stop_for_copy = 0;
    stop.requested = asked || end;
    stop.number++;
    return (stop.run & 0x3fffffff) << 32 | (stop.number & 0x7fffffff) << 1 | end;
}

/* All workers are still: hand this worker's chain to the user, and take the chain back. Returns whether the user has
 * replaced the state. */
static bool hand_on(uintptr_t sp, uat_task_t *join, bool end)
{
    struct uat_chain *chain = &stop.chain;
    uat_check(uat_self.transport->class_->flush(uat_self.transport)); /* completes the refusals */
    uat_torture_show(true);
    if (uat_chain_take(chain, &uat_worker.deque))
        uat_fatal("no memory for the list of %zu continuations", uat_deque_size(&uat_worker.deque));
    chain->sp = sp;
    chain->join = (uintptr_t)join;
    if (stop.user.stopped(chain, end))
        return true;
    uat_chain_put(chain, &uat_worker.deque);
    uat_torture_show(false);
    return false;
}

void uat_stop_worker(uintptr_t sp, uat_task_t *join)
{
    uint64_t order = uat_self.rank == 0 ? begin() : load_order();
    stop.served = order;
    uat_global_before_stop();
    if (uat_self.rank > 0)
        show(order);
    else
        uat_check(uat_self.transport->class_->flush(uat_self.transport));
    uint64_t verdict = uat_self.rank == 0 ? lead(order) : follow(order);
    if (verdict)
        tell(verdict);
    if (verdict && !(verdict & CANNOT) && hand_on(sp, join, order & END))
        _longjmp(uat_stop_back, 1);
    if (uat_self.rank > 0)
        return;
    stop.refused = verdict & CANNOT;
    stop.refused_at = uat_clock_ns();
    if ((!verdict || stop.refused) && stop.requested)
        uat_stop_note(order & END);
    else if (!verdict || stop.refused)
        uat_stop_for_copy = 1;
    stop.requested = false;
    uat_stop_watch();
}

void uat_stop_polled(void)
{
    if (__builtin_expect(!uat_stop_on || uat_self.rank == 0 || !uat_stop_ordered(), 1))
        return; /* rank 0 gives an order only after its own task has stopped */
    stop.times = stop.polled == load_order() ? stop.times + 1 : 0;
    stop.polled = load_order();
    if (stop.times >= POLLS)
        uat_stop_refuse();
}

void uat_stop_refuse(void)
{
    if (uat_self.rank == 0) { /* the request stays set, and a later slow path tries it again */
        stop.refused = true;
        stop.refused_at = uat_clock_ns();
        return;
    }
    stop.served = load_order();
    show(stop.served | CANNOT);
}
