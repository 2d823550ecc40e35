/* SPDX-License-Identifier: MIT */
/*
 * Tasks with UAT_FLOW_ANY and UAT_FLOW_ADD. Nothing in the ledger orders consecutive tasks that name a datum with the
 * same one of these modes; a mutex of the datum keeps them apart. A task with UAT_FLOW_ANY holds the mutex while its
 * body runs. A task with UAT_FLOW_ADD holds the mutex while it adds the value that its body left. A task locks the
 * mutexes of its data with UAT_FLOW_ANY in the order of the mutexes' names. It adds to one datum after the other, and
 * waits for no other mutex while it adds to a datum. So there is no deadlock. If a task names a datum with both modes,
 * it locks the datum's mutex once, and its body gets the datum itself. A task that runs in place needs no mutex,
 * because no other task of the flow is under way. If such a task parts, later tasks wait for its end.
 */

#include <string.h>

#include "include/uat/sync.h"
#include "runtime/flow/unroll.h"

/* The argument of a task with UAT_FLOW_ANY or UAT_FLOW_ADD: the mutexes of its data with UAT_FLOW_ANY and then, aligned
 * to 16 bytes, the task's own argument. */
struct guarded {
    uat_fn *fn;
    uint64_t n;
    uint64_t guard[]; /* ascending */
};

static size_t head_bytes(uint64_t n)
{
    return (sizeof(struct guarded) + n * sizeof(uint64_t) + 15) & ~(size_t)15;
}

static void run_guarded(void *arg, void *result)
{
    const struct guarded *task = arg;
    for (uint64_t i = 0; i < task->n; i++)
        uat_mutex_lock((uat_mutex_t){.object = task->guard[i]});
    task->fn((char *)arg + head_bytes(task->n), result);
    for (uint64_t i = 0; i < task->n; i++)
        uat_mutex_unlock((uat_mutex_t){.object = task->guard[i]});
}

/* Returns the index of the first mutex whose name is at least `guard`. */
static uint64_t place_of(const struct guarded *task, uint64_t guard)
{
    uint64_t at = 0;
    while (at < task->n && task->guard[at] < guard)
        at++;
    return at;
}

static bool has(const struct guarded *task, uint64_t guard)
{
    uint64_t at = place_of(task, guard);
    return at < task->n && task->guard[at] == guard;
}

/* Insert a mutex, unless the task has it already. */
static void insert(struct guarded *task, uint64_t guard)
{
    uint64_t at = place_of(task, guard);
    if (has(task, guard))
        return;
    memmove(&task->guard[at + 1], &task->guard[at], (task->n++ - at) * sizeof(uint64_t));
    task->guard[at] = guard;
}

void uat_flow_write_guarded(uat_flow_t *flow, uint64_t id, uat_fn *fn, const void *arg, size_t size,
                            const uat_flow_access_t *access, struct uat_flow_use *use, size_t n)
{
    _Alignas(16) char own[UAT_FLOW_ARGUMENT_MAX], room[UAT_FLOW_GUARDED + UAT_FLOW_ARGUMENT_MAX];
    struct guarded *task = (struct guarded *)(void *)room;
    memcpy(own, arg, size);
    task->fn = fn;
    task->n = 0;
    for (size_t i = 0; i < n; i++)
        if (use[i].mode == UAT_FLOW_ANY)
            insert(task, uat_flow_guard_of(flow, id, &use[i]));
    for (size_t i = 0; i < n; i++) {
        if (use[i].mode != UAT_FLOW_ADD)
            continue;
        uint64_t guard = uat_flow_guard_of(flow, id, &use[i]);
        /* If the task also names the datum with UAT_FLOW_ANY, it holds this mutex already, and a second lock would
         * deadlock. Then no guard is stored, and the body gets the datum itself instead of a sum of its own. */
        if (!has(task, guard))
            memcpy(own + access[i].pitch, &guard, sizeof(guard));
    }
    size_t head = head_bytes(task->n);
    memcpy(room + head, own, size);
    const struct uat_flow_note *note = uat_flow_note(uat_flow_state_of(flow), id); /* the state may have moved */
    uat_flow_write_task(flow, note, run_guarded, room, head + size, access, n);
}

void *uat_flow_add_begin(void *p, size_t bytes, uint64_t guard)
{
    uat_mutex_lock((uat_mutex_t){.object = guard});
    return uat_global_checkout(p, bytes, UAT_READ_WRITE);
}

void uat_flow_add_end(void *p, size_t bytes, uint64_t guard)
{
    uat_global_checkin(p, bytes, UAT_READ_WRITE);
    uat_mutex_unlock((uat_mutex_t){.object = guard});
}
