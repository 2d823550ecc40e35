/* SPDX-License-Identifier: MIT */
/* The calls of uat/dataflow.h, on the unroller's side. */
#include "include/uat/dataflow.h"

#include "include/uat/pattern.h"
#include "runtime/flow/access.h"
#include "runtime/flow/home.h"
#include "runtime/flow/ring.h"
#include "runtime/flow/state.h"
#include "runtime/flow/unroll.h"
#include "runtime/global/global.h"
#include "runtime/job/crew.h"
#include "runtime/job/fatal.h"
#include "runtime/sched/failure.h"
#include "runtime/sched/join.h"
#include "runtime/sched/park.h"
#include "runtime/sched/stop.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"

static void check(const uat_flow_t *flow, const char *call)
{
    if (flow->self != flow)
        uat_fatal(
            "%s was given a flow at %p that was never begun, has ended, or is a copy; call uat_flow_begin() in the "
            "task that spawns into it",
            call, (const void *)flow);
}

void uat_flow_begin(uat_flow_t *flow)
{
    uintptr_t at = (uintptr_t)flow;
    if (!uat_worker.running || at < uat_segment.low || at >= uat_segment.high)
        uat_fatal("uat_flow_begin() was given a flow at %p, which is not in the frame of a task", (void *)flow);
    *flow = (uat_flow_t){.self = flow, .window = UAT_FLOW_WINDOW};
    if (uat_flow_always())
        uat_flow_state_begin(flow);
}

void uat_flow_set_window(uat_flow_t *flow, size_t n)
{
    check(flow, "uat_flow_set_window()");
    if (n == 0 || n > UAT_FLOW_WINDOW)
        uat_fatal("uat_flow_set_window(): a window of %zu tasks; it has 1 to %d", n, UAT_FLOW_WINDOW);
    flow->window = n;
    if (flow->ledger)
        uat_flow_state_open(flow)->window = n;
}

void uat_flow_keep_order(uat_flow_t *flow)
{
    check(flow, "uat_flow_keep_order()");
    flow->ordered = 1;
}

void uat_flow_set_home(uat_flow_t *flow, const void *p)
{
    check(flow, "uat_flow_set_home()");
    if (p && p != UAT_FLOW_ANYWHERE && uat_global_home(p) < 0)
        uat_fatal("uat_flow_set_home() was given %p, which is no address of global memory; it takes a datum in an "
                  "array or an object, NULL, or UAT_FLOW_ANYWHERE",
                  p);
    flow->home = p ? uat_flow_home(p) | 1 : 0;
}

/* A wait for a number of ends, or for an entry. */
struct wait {
    struct uat_park park;
    uint64_t name;  /* name of the chunk whose count changes, or of the entry */
    uint64_t value; /* added to the chunk's `count`, or to the entry's `left` */
};

/* Store the waiter, and then publish it by adding wait->value to the word. Returns the word's old value. */
static uint64_t offer(const struct wait *wait, uint64_t block, struct uat_flow_waiter *there, uint64_t *word)
{
    const struct uat_parked *parked = uat_flow_address(block);
    struct uat_flow_staging *s = uat_flow_staging();
    s->waiter = (struct uat_flow_waiter){.sp = parked->sp, .base = parked->base, .where = block};
    struct uat_op chain[] = {
        uat_op_write(&s->waiter, there, sizeof(s->waiter)),
        /* Takes effect after the WRITE (O1); pairs with the FETCH_ADDs of count_down(). */
        uat_op_fetch_add(&s->old[0], word, wait->value),
    };
    uat_flow_do(uat_flow_rank(wait->name), chain, 2);
    return s->old[0];
}

static void park_for_ends(struct uat_park *park, uint64_t block)
{
    const struct wait *wait = (const struct wait *)(const void *)park;
    struct uat_flow_chunk *c = uat_flow_address(wait->name);
    int64_t old = (int64_t)offer(wait, block, &c->waiter, &c->count);
    if (old + (int64_t)wait->value >= 0)
        uat_flow_wake(&uat_flow_staging()->waiter);
}

static void park_for_entry(struct uat_park *park, uint64_t block)
{
    const struct wait *wait = (const struct wait *)(const void *)park;
    struct uat_flow_entry *e = uat_flow_address(wait->name);
    if (offer(wait, block, &e->waiter, &e->left) + wait->value == 0)
        uat_flow_ring_push(wait->name);
}

/* Wait until `ends` entries have ended since the ledger began. */
static void wait_for_ends(uat_flow_t *flow, uint64_t ends)
{
    struct uat_flow_state *s = uat_flow_state_open(flow);
    uint64_t n = ends - s->awaited;
    if (uat_flow_ended_count(s, true) >= ends) {
        uat_global_after_join(); /* ACQUIRE, as after a wait */
        return;
    }
    s->awaited += n;
    struct wait wait = {.park = {.kind = UAT_PARK_FLOW, .object = flow->ledger, .park = park_for_ends},
                        .name = uat_flow_shared(s),
                        .value = -n};
    uat_park(&wait.park);
}

/* Continue the flow in place, because all entries have ended. */
static void go_in_place(uat_flow_t *flow)
{
    uat_global_after_join(); /* F6 */
    uat_flow_state_end(flow);
}

void uat_flow_end_ledger(uat_flow_t *flow)
{
    check(flow, "uat_flow_end()");
    struct uat_flow_state *s = uat_flow_state_open(flow);
    wait_for_ends(flow, s->begun);
    uat_flow_state_end(flow);
}

/* Make room in the window. s: the flow's state, which may move. */
static void make_room(uat_flow_t *flow, struct uat_flow_state *s)
{
    while (s->begun - s->retired >= s->window) {
        uat_flow_retire(s);
        if (s->begun - s->retired < s->window)
            break;
        wait_for_ends(flow, s->retired + (s->window + 3) / 4);
        uat_trace_end(UAT_TRACE_FLOW_ROOM, uat_trace_begin(), 0, -1);
        s = uat_flow_state_open(flow);
    }
}

/* Have all entries ended? The answer "no" may be out of date. The function also retires entries once RETIRED of them
 * have ended, and at every OFFER_EVERY-th entry it answers thieves that ask for a continuation. */
static bool all_have_ended(struct uat_flow_state *s)
{
    enum { LOOK_EVERY = 8, RETIRED = 64, OFFER_EVERY = 16 };
    uint64_t ended = uat_flow_ended_count(s, s->serial % LOOK_EVERY == 0);
    if (ended != s->begun && ended - s->retired >= RETIRED)
        uat_flow_retire(s);
    if (s->serial % OFFER_EVERY == 0)
        uat_work_wanted(); /* answers thieves that ask for a continuation */
    return ended == s->begun;
}

void uat_flow_enter(uat_flow_t *flow, uat_fn *body, const void *arg, size_t size, const uat_flow_access_t *access,
                    size_t n)
{
    check(flow, "a spawn into a flow");
    if (uat_stop_wanted()) /* a task may stop here, as at a spawn, because no spawn is half done */
        uat_stop_task();
    uat_crew_look();
    struct uat_flow_state *s = uat_flow_state_open(flow);
    if (all_have_ended(s) && !uat_flow_always()) {
        go_in_place(flow);
        uat_spawn(&flow->task, body, arg, size, NULL, 0);
        if (flow->task.record != 0)
            uat_flow_parted(flow, access, n);
        return;
    }
    if (uat_flow_always())
        uat_flow_check_nested(access, n);
    make_room(flow, s);
    uint64_t begin = uat_trace_begin();
    struct uat_flow_use use[UAT_FLOW_ACCESSES];
    const struct uat_flow_note *note = uat_flow_entry_begin(flow);
    uint64_t id = note->id, name = uat_flow_name(note) | uat_flow_home_of(flow, access, n);
    if (uat_flow_uses(flow, access, n, use))
        uat_flow_write_guarded(flow, id, body, arg, size, access, use, n);
    else
        uat_flow_write_task(flow, note, body, arg, size, access, n);
    uat_global_before_wait(); /* RELEASE of what the unroller wrote before; pairs with the ACQUIRE in take() */
    if (uat_flow_order(flow, id, name, use, n))
        uat_flow_ring_push(name);
    uat_trace_end(UAT_TRACE_FLOW_SPAWN, begin, name, -1);
}

void uat_flow_parted(uat_flow_t *flow, const uat_flow_access_t *access, size_t n)
{
    check(flow, "a spawn into a flow");
    uat_flow_state_begin(flow);
    const struct uat_flow_note *note = uat_flow_entry_begin(flow);
    uint64_t id = note->id;
    uat_flow_write_entry(flow, note, NULL, NULL, 0);
    if (!uat_join_defer(&flow->task, uat_flow_name(note))) { /* the child has ended */
        uat_failure_refuse("a data-flow task");
        uat_flow_entry_undo(uat_flow_state_of(flow), id);
        uat_flow_state_end(flow);
        return;
    }
    struct uat_flow_use use[UAT_FLOW_ACCESSES];
    uat_flow_uses(flow, access, n, use);
    for (size_t i = 0; i < n; i++) {
        if (use[i].mode != UAT_FLOW_IN)
            use[i].mode = UAT_FLOW_INOUT; /* the child holds no guard, so later tasks wait for its end */
        uat_flow_map(flow, id, &use[i]);  /* the map is empty, so there is nothing to wait for (F1) */
    }
}

void uat_flow_wait_ledger(uat_flow_t *flow, const void *p, enum uat_flow_mode mode)
{
    check(flow, "uat_flow_wait_datum()");
    /* The unroller holds no guard, so any mode but UAT_FLOW_IN waits for all tasks that access the datum. */
    bool reads = (mode & ~(unsigned)UAT_FLOW_BELOW) == UAT_FLOW_IN;
    struct uat_flow_use use = {.datum = (uintptr_t)p + 1, .mode = reads ? UAT_FLOW_IN : UAT_FLOW_INOUT};
    uat_flow_state_open(flow);
    const struct uat_flow_note *note = uat_flow_entry_begin(flow);
    uint64_t id = note->id, name = uat_flow_name(note) | UAT_FLOW_JOINS | UAT_FLOW_WAKES;
    uat_flow_write_entry(flow, note, NULL, NULL, 0);
    uint64_t count = uat_flow_follow(flow, id, name, &use);
    if (count == 0) {
        uat_flow_entry_undo(uat_flow_state_of(flow), id);
        uat_global_after_join(); /* all tasks that this call would wait for have ended */
        return;
    }
    struct wait wait = {
        .park = {.kind = UAT_PARK_FLOW, .object = flow->ledger, .park = park_for_entry}, .name = name, .value = count};
    uat_park(&wait.park);
}
