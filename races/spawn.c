/* SPDX-License-Identifier: MIT */
/*
 * Spawns, joins and runs. The runtime does not know most joins, because uat_join() is inline and does nothing if the
 * child ended in place. So the program's calls are watched. A spawn is replaced by the spawn of body(), whose argument
 * holds the function and its argument. The running task is kept in a local variable over each call that may run other
 * tasks. The variable moves with the task's stack.
 */
#include <string.h>

#include "include/uat.h"
#include "races/report.h"
#include "races/spawn.h"
#include "races/start.h"
#include "races/stack.h"

typedef struct uat_races_task task_t;

struct head {
    uat_fn *fn;
    task_t *task;
};

void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size);
void __wrap_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size);
void __wrap_uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size);
void __wrap_uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);
int __real_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t result_size);
int __wrap_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t result_size);
int __wrap_uat_work_wanted(void);

static struct uat_races_place spawn_place(const task_t *c, const char *what)
{
    return (struct uat_races_place){what, uat_races_short(c->site), c->parent};
}

void uat_races_task_ends(task_t *t)
{
    for (task_t *c = t->children; c; c = c->next) {
        const struct uat_races_place child = spawn_place(c, "the child was spawned by");
        const struct uat_races_place end = spawn_place(t, "the task that ends was spawned by");
        uat_races_report("JOIN: a task ends without joining its child", (uintptr_t)c->handle, &end, &child,
                         "a task must join each child, and wait for each group and flow, before it ends");
    }
    t->ended = true;
}

static void body(void *arg, void *result)
{
    struct head *h = arg;
    task_t *me = h->task;
    uat_races_running = me;
    h->fn(h + 1, result);
    uat_races_task_ends(me);
}

static void set_bounds(task_t *t)
{
    t->low = UINTPTR_MAX;
    t->high = 0;
    for (const task_t *c = t->children; c; c = c->next)
        if (c->end > c->result) {
            t->low = c->result < t->low ? c->result : t->low;
            t->high = c->end > t->high ? c->end : t->high;
        }
}

void uat_races_child_add(task_t *me, task_t *c)
{
    c->next = me->children;
    me->children = c;
    if (c->end > c->result)
        set_bounds(me);
}

/* Is the handle that of a child that is not joined yet? */
static void check_handle(const task_t *me, const void *handle, uintptr_t site)
{
    for (const task_t *c = me->children; c; c = c->next)
        if (c->handle == handle && c->kind == UAT_RACES_BY_HANDLE) {
            const struct uat_races_place first = spawn_place(c, "first spawned by");
            const struct uat_races_place second = {"spawned again by", uat_races_short(site), me};
            uat_races_report("JOIN: a handle is used again before the join of its child", (uintptr_t)handle, &second,
                             &first, "use one handle for each child, or a group for all of them");
            return;
        }
}

void uat_races_spawn_child(task_t *c, uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result,
                           size_t result_size)
{
    task_t *me = uat_races_running;
    struct head *h = __builtin_alloca_with_align(sizeof(*h) + n + 1, 128);
    *h = (struct head){fn, c};
    if (n > 0)
        memcpy(h + 1, arg, n);
    c->base = (uintptr_t)h; /* the child's frames are below the argument, of which it gets a copy */
    __real_uat_spawn(t, fn ? body : NULL, h, sizeof(*h) + n, result, result_size);
    uat_races_running = me;
    uat_races_child_add(me, c);
}

static __attribute__((noinline)) void spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result,
                                            size_t result_size, uintptr_t site)
{
    task_t *me = uat_races_running;
    if (!uat_races_in_task()) {
        __real_uat_spawn(t, fn, arg, n, result, result_size);
        return;
    }
    bool grouped = result == UAT_GROUP_RESULT;
    if (!grouped)
        check_handle(me, t, site);
    task_t *c = uat_races_task_new(me, site);
    c->handle = t;
    c->kind = grouped ? UAT_RACES_BY_GROUP : UAT_RACES_BY_HANDLE;
    c->result = (uintptr_t)result;
    c->end = c->result + result_size;
    uat_races_next_part(me);
    uat_races_spawn_child(c, t, fn, arg, n, result, result_size);
}

void __wrap_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size)
{
    spawn(t, fn, arg, n, result, result_size, UAT_RACES_SITE());
}

void __wrap_uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t result_size)
{
    spawn(t, fn, arg, n, result, result_size, UAT_RACES_SITE());
}

void __wrap_uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size)
{
    (void)rank; /* there is one worker */
    spawn(t, fn, arg, n, result, size, UAT_RACES_SITE());
}

void uat_races_joined(const void *handle, enum uat_races_join_kind kind)
{
    task_t *me = uat_races_running;
    bool results = false;
    uat_races_next_part(me);
    for (task_t **at = &me->children; *at;) {
        task_t *c = *at;
        if (c->handle != handle || c->kind != kind) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        results |= c->end > c->result;
        uat_races_task_joined(me, c);
        if (kind == UAT_RACES_BY_HANDLE)
            break;
    }
    if (results)
        set_bounds(me);
}

static bool has_child(const task_t *me, const void *handle)
{
    for (const task_t *c = me->children; c; c = c->next)
        if (c->handle == handle && c->kind == UAT_RACES_BY_HANDLE)
            return true;
    return false;
}

void uat_races_join(uat_task_t *t)
{
    task_t *me = uat_races_running;
    bool watched = uat_races_in_task();
    if (watched && !has_child(me, t)) {
        const struct uat_races_place join = {"joined by", uat_races_short(UAT_RACES_SITE()), me};
        const struct uat_races_place task = spawn_place(me, "the joining task was spawned by");
        uat_races_report("JOIN: a join without a child", (uintptr_t)t, &join, &task,
                         "the child was never spawned, is joined already, or was spawned by another task");
        return;
    }
    if (t->record)
        uat_join_wait(t);
    uat_races_running = me;
    if (watched)
        uat_races_joined(t, UAT_RACES_BY_HANDLE);
}

void uat_races_group_wait(uat_group_t *g)
{
    task_t *me = uat_races_running;
    if (g->record) {
        g->task.record = g->record;
        uat_join_wait(&g->task);
    }
    if (g->cancel.object != g->outer.object)
        uat_group_end_cancel(g);
    uat_races_running = me;
    if (uat_races_in_task())
        uat_races_joined(&g->task, UAT_RACES_BY_GROUP);
}

int __wrap_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t result_size)
{
    if (!uat_races_active || !root || (n > 0 && !arg))
        return __real_uat_run(root, arg, n, result, result_size);
    struct head *h = __builtin_alloca_with_align(sizeof(*h) + n + 1, 128);
    task_t *c = uat_races_task_new(&uat_races_outside, UAT_RACES_SITE());
    *h = (struct head){root, c};
    if (n > 0)
        memcpy(h + 1, arg, n);
    uat_races_next_part(&uat_races_outside);
    c->base = UINTPTR_MAX;
    uat_races_in_run = true;
    uat_races_run_starts();
    uat_races_stack_of_main((uintptr_t)__builtin_frame_address(0));
    int rc = __real_uat_run(body, h, sizeof(*h) + n, result, result_size);
    uat_races_in_run = false;
    uat_races_running = &uat_races_outside;
    uat_races_next_part(&uat_races_outside);
    uat_races_task_joined(&uat_races_outside, c);
    return rc;
}

int __wrap_uat_work_wanted(void)
{
    return 1; /* so that loops make a task of each grain, although there is no thief */
}
