/* SPDX-License-Identifier: MIT */
/*
 * Data-flow tasks. A datum of a flow has three objects: its writers, its readers, and the tasks that add to it. A task
 * acquires those with which it conflicts before its body, and releases its own after it. The unroller's wait joins all.
 * Under -DUAT_RACES every spawn into a flow calls uat_flow_enter(), so that the accesses are known.
 */
#include <string.h>

#include "include/uat.h"
#include "include/uat/dataflow.h"
#include "races/spawn.h"
#include "races/start.h"
#include "runtime/job/fatal.h"

enum { WRITERS, READERS, ADDERS, GUARD, OPEN = 256 /* flows at a time */ };

typedef struct uat_races_task task_t;

/* A spawn into a flow. The one worker's heap has it, so that the task's argument grows by a pointer only. */
struct entry {
    uat_fn *body;
    uat_flow_fn *fn; /* or this one, of uat_flow_spawn() */
    task_t *task;
    uint64_t serial, n, size; /* n accesses, and the bytes of the caller's argument */
    uat_flow_access_t access[];
};

struct head {
    _Alignas(16) struct entry *entry; /* the caller's argument, after the head, has this alignment */
};
_Static_assert(sizeof(struct head) % 16 == 0, "see above");

void *__real_malloc(size_t n);
void __real_free(void *p);
void __real_uat_flow_begin(uat_flow_t *flow);
void __wrap_uat_flow_begin(uat_flow_t *flow);
void __real_uat_flow_enter(uat_flow_t *flow, uat_fn *body, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n);
void __wrap_uat_flow_enter(uat_flow_t *flow, uat_fn *body, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n);
void __real_uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n);
void __wrap_uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n);
void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size);

static struct {
    const uat_flow_t *flow;
    uint64_t serial;
} open[OPEN]; /* the flows that are not ended */
static uint64_t last_serial;

static uint64_t serial_of(const uat_flow_t *flow)
{
    for (int i = 0; i < OPEN; i++)
        if (open[i].flow == flow)
            return open[i].serial;
    return 0; /* more flows than OPEN: their data share objects, which may hide a race */
}

void __wrap_uat_flow_begin(uat_flow_t *flow)
{
    int i = 0;
    while (i < OPEN - 1 && open[i].flow && open[i].flow != flow)
        i++;
    open[i].flow = flow;
    open[i].serial = ++last_serial;
    __real_uat_flow_begin(flow);
}

static uint64_t name_of(uint64_t serial, const void *p, int kind)
{
    return (((uintptr_t)p ^ serial << 44) * 4 + (uint64_t)kind) ^ UINT64_C(0xf10f) << 48;
}

static void acquire(uint64_t serial, const void *p, unsigned mode)
{
    uat_races_acquire(name_of(serial, p, WRITERS));
    if (mode != UAT_FLOW_IN)
        uat_races_acquire(name_of(serial, p, READERS));
    if (mode != UAT_FLOW_ADD)
        uat_races_acquire(name_of(serial, p, ADDERS));
}

static void begin(const struct head *head)
{
    const struct entry *h = head->entry;
    task_t *me = h->task;
    uat_races_running = me;
    if (me->base == 0) /* the task does not run above its spawner */
        me->base = (uintptr_t)(head + 1) + h->size;
    for (size_t i = 0; i < h->n; i++) {
        const void *p = h->access[i].p;
        unsigned mode = h->access[i].mode & ~(unsigned)UAT_FLOW_BELOW;
        acquire(h->serial, p, mode);
        if (mode == UAT_FLOW_ADD)
            me->locks = uat_races_locks_add(me->locks, uat_races_number_of(name_of(h->serial, p, GUARD)));
    }
    uat_races_next_part(me);
}

static void end(struct entry *h)
{
    uat_races_task_ends(h->task);
    for (size_t i = 0; i < h->n; i++) {
        const void *p = h->access[i].p;
        unsigned mode = h->access[i].mode & ~(unsigned)UAT_FLOW_BELOW;
        if (mode != UAT_FLOW_IN && mode != UAT_FLOW_ADD)
            for (int kind = WRITERS; kind <= ADDERS; kind++)
                uat_races_forget(name_of(h->serial, p, kind)); /* this task is ordered after all of them */
        uat_races_release(name_of(h->serial, p,
                                  mode == UAT_FLOW_IN    ? READERS
                                  : mode == UAT_FLOW_ADD ? ADDERS
                                                         : WRITERS));
    }
    __real_free(h);
}

static void body(void *arg, void *result)
{
    struct head *h = arg;
    struct entry *e = h->entry;
    begin(h);
    e->body(h + 1, result);
    end(e);
}

static void body_of_places(void *arg, const uat_flow_place_t *place)
{
    struct head *h = arg;
    struct entry *e = h->entry;
    begin(h);
    e->fn(h + 1, place);
    end(e);
}

static task_t *new_child(const uat_flow_t *flow, uintptr_t site)
{
    task_t *c = uat_races_task_new(uat_races_running, site);
    c->handle = flow;
    c->kind = UAT_RACES_BY_FLOW;
    uat_races_next_part(uat_races_running);
    return c;
}

static struct entry *new_entry(const uat_flow_t *flow, uintptr_t site, size_t size, const uat_flow_access_t *access,
                               size_t n)
{
    struct entry *e = __real_malloc(sizeof(*e) + n * sizeof(*access));
    if (!e)
        uat_fatal("no memory for the accesses of a data-flow task");
    *e = (struct entry){.task = new_child(flow, site), .serial = serial_of(flow), .n = n, .size = size};
    memcpy(e->access, access, n * sizeof(*access));
    return e;
}

void __wrap_uat_flow_enter(uat_flow_t *flow, uat_fn *function, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n)
{
    task_t *me = uat_races_running;
    if (!uat_races_in_task()) {
        __real_uat_flow_enter(flow, function, arg, size, access, n);
        return;
    }
    struct head *h = __builtin_alloca_with_align(sizeof(*h) + size + 1, 128);
    h->entry = new_entry(flow, UAT_RACES_SITE(), size, access, n);
    h->entry->body = function;
    task_t *task = h->entry->task;
    memcpy(h + 1, arg, size);
    uat_flow_access_t moved[UAT_FLOW_ACCESSES];
    for (size_t i = 0; i < n; i++) {
        moved[i] = access[i];
        if (access[i].mode == UAT_FLOW_ADD)
            moved[i].pitch += sizeof(*h); /* where the argument has room for the guard */
    }
    if (flow->ledger != 0) {
        if (sizeof(*h) + size > UAT_FLOW_ARGUMENT_MAX)
            uat_fatal("a data-flow task has an argument of %zu bytes, and the detector needs %zu of the %d bytes of "
                      "UAT_FLOW_ARGUMENT_MAX",
                      size, sizeof(*h), UAT_FLOW_ARGUMENT_MAX);
        __real_uat_flow_enter(flow, body, h, sizeof(*h) + size, moved, n);
    } else {
        h->entry->task->base = (uintptr_t)h;
        __real_uat_spawn(&flow->task, body, h, sizeof(*h) + size, NULL, 0);
        if (flow->task.record != 0)
            uat_flow_parted(flow, moved, n);
    }
    uat_races_running = me;
    uat_races_child_add(me, task);
}

void __wrap_uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size,
                           const uat_flow_access_t *access, size_t n)
{
    task_t *me = uat_races_running;
    if (!uat_races_in_task() || n > UAT_FLOW_ACCESSES) {
        __real_uat_flow_spawn(flow, fn, arg, size, access, n);
        return;
    }
    struct head *h = __builtin_alloca_with_align(sizeof(*h) + size + 1, 128);
    h->entry = new_entry(flow, UAT_RACES_SITE(), size, access, n);
    h->entry->fn = fn;
    task_t *task = h->entry->task;
    if (size > 0)
        memcpy(h + 1, arg, size);
    __real_uat_flow_spawn(flow, body_of_places, h, sizeof(*h) + size, access, n);
    uat_races_running = me;
    uat_races_child_add(me, task);
}

void uat_races_flow_end(uat_flow_t *flow)
{
    task_t *me = uat_races_running;
    if (flow->ledger != 0)
        uat_flow_end_ledger(flow);
    flow->self = NULL;
    uat_races_running = me;
    for (int i = 0; i < OPEN; i++)
        if (open[i].flow == flow)
            open[i].flow = NULL;
    if (uat_races_in_task())
        uat_races_joined(flow, UAT_RACES_BY_FLOW);
}

void uat_races_flow_wait(uat_flow_t *flow, const void *p, int mode)
{
    task_t *me = uat_races_running;
    if (flow->ledger != 0)
        uat_flow_wait_ledger(flow, p, (enum uat_flow_mode)mode);
    uat_races_running = me;
    if (uat_races_in_task())
        acquire(serial_of(flow), p, mode & ~(unsigned)UAT_FLOW_BELOW ? (unsigned)mode & ~(unsigned)UAT_FLOW_BELOW : 0);
}
