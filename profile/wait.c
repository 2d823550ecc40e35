/* SPDX-License-Identifier: MIT */
/*
 * Calls that may move the running task to another worker, and the objects of uat/sync.h. With one worker an object
 * knows the longest span of all tasks that have released it; a task that acquires it goes on after this span. For
 * semaphores and channels this may be too long, since every earlier release counts. A mutex orders nothing. With
 * several workers the releases are not known here, and the waits are counted as not followed.
 */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/uat/channel.h"
#include "include/uat/checkpoint.h"
#include "include/uat/dataflow.h"
#include "include/uat/limit.h"
#include "include/uat/lock.h"
#include "include/uat/semaphore.h"
#include "include/uat/sync.h"
#include "profile/clock.h"
#include "profile/replace.h"

/* ---- waits ---- */

/* A number of this host: on one host all workers read the same clock. */
static uint64_t host(void)
{
    static uint64_t number;
    char name[256] = "";
    if (number)
        return number;
    gethostname(name, sizeof(name) - 1);
    number = 1 + (uint64_t)uat_restarted(); /* after a restart, perhaps of another host, begins of waits are outdated */
    for (const char *c = name; *c; c++)
        number = number * 31 + (unsigned char)*c;
    return number;
}

struct uat_wait uat_wait_begin(struct uat_strand *me)
{
    struct uat_wait w = {0, 0, 0};
    if (me)
        w = (struct uat_wait){uat_time_ns(), host(), uat_profile_stretches};
    uat_strand_now = NULL;
    return w;
}

void uat_wait_end(const struct uat_wait *w, struct uat_strand *me)
{
    if (!me)
        return;
    struct uat_name *row = uat_name_of(me->name);
    row->waits++;
    if (w->host == host())
        row->wait_ns += (double)(uat_time_ns() - w->begin);
}

/* ---- objects ---- */

struct object {
    uint64_t name; /* 0: free */
    double burdened;
    struct uat_profile_span span;
};
static struct object *objects;
static size_t room, used;

static struct object *find(uint64_t name)
{
    size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (objects[at % room].name && objects[at % room].name != name)
        at++;
    return &objects[at % room];
}

/* Keep a quarter of the table free. Returns false without memory. */
static bool make_room(void)
{
    if (used * 4 < room * 3)
        return true;
    struct object *old = objects, *more = calloc(room ? 2 * room : 256, sizeof(*more));
    size_t n = room;
    if (!more)
        return false;
    objects = more;
    room = n ? 2 * n : 256;
    for (size_t i = 0; i < n; i++)
        if (old[i].name)
            *find(old[i].name) = old[i];
    free(old);
    return true;
}

static void release(const struct uat_strand *me, uint64_t name)
{
    if (!me || uat_size() > 1 || !make_room())
        return;
    struct object *o = find(name);
    used += !o->name;
    o->name = name;
    if (me->totals.burdened > o->burdened)
        o->burdened = me->totals.burdened;
    if (me->totals.span.ns > o->span.ns)
        o->span = me->totals.span;
}

/* others: uat_profile_stretches when the call began. If tasks have run since then, the call has left the processor. */
static void acquire(struct uat_strand *me, uint64_t name, uint64_t others)
{
    if (!me)
        return;
    if (uat_size() > 1) {
        uat_profile_counts.unfollowed++;
        return;
    }
    const struct object *o = room ? find(name) : NULL;
    if (o && o->name)
        uat_strand_after(me, &o->span, o->burdened);
    if (uat_profile_stretches != others)
        uat_strand_called(me, uat_profile_counts.wait_ns);
}

static void forget(uint64_t name)
{
    struct object *o = room ? find(name) : NULL;
    if (o && o->name) { /* the row stays, as later rows may depend on it */
        o->burdened = 0;
        memset(&o->span, 0, sizeof(o->span));
    }
}

/* Define the replacement of a function that moves no task and releases an object. */
#define RELEASE(name, params, call, what)                                                                              \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        struct uat_strand *me = uat_profile_stop(UAT_HERE());                                                          \
        double from = uat_profile_clock();                                                                             \
        __real_##name call;                                                                                            \
        if (me)                                                                                                        \
            uat_strand_called(me, uat_profile_clock() - from);                                                         \
        release(me, what);                                                                                             \
        uat_profile_start(me, UAT_HERE());                                                                             \
    }

RELEASE(uat_future_set, (uat_future_t f, const void *value), (f, value), f.object)
RELEASE(uat_condition_signal, (uat_condition_t c), (c), c.object)
RELEASE(uat_condition_broadcast, (uat_condition_t c), (c), c.object)
RELEASE(uat_semaphore_release, (uat_semaphore_t s, uint64_t n), (s, n), s.object)
RELEASE(uat_latch_count_down, (uat_latch_t l, uint64_t n), (l, n), l.object)
RELEASE(uat_channel_close, (uat_channel_t c), (c), c.object)

REPLACE_VOID(uat_sleep_for, (uint64_t ns), (ns), NOTHING, NOTHING)
REPLACE_VOID(uat_yield, (void), (), NOTHING, NOTHING)
REPLACE_VOID(uat_migrate, (int rank), (rank), NOTHING, NOTHING)
REPLACE_VOID(uat_future_get, (uat_future_t f, void *value), (f, value), NOTHING, acquire(me, f.object, w.stretches))
REPLACE(int, uat_future_try_get, (uat_future_t f, void *value), (f, value), NOTHING,
        if (!r) acquire(me, f.object, w.stretches))
REPLACE_VOID(uat_future_destroy, (uat_future_t f), (f), forget(f.object), NOTHING)
REPLACE_VOID(uat_mutex_lock, (uat_mutex_t m), (m), NOTHING, NOTHING)
REPLACE(int, uat_mutex_try_lock, (uat_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_mutex_unlock, (uat_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_condition_wait, (uat_condition_t c, uat_mutex_t m), (c, m), NOTHING,
             acquire(me, c.object, w.stretches))
REPLACE_VOID(uat_semaphore_acquire, (uat_semaphore_t s), (s), NOTHING, acquire(me, s.object, w.stretches))
REPLACE(int, uat_semaphore_try_acquire, (uat_semaphore_t s), (s), NOTHING, if (!r) acquire(me, s.object, w.stretches))
REPLACE_VOID(uat_latch_wait, (uat_latch_t l), (l), NOTHING, acquire(me, l.object, w.stretches))
REPLACE(int, uat_latch_try_wait, (uat_latch_t l), (l), NOTHING, if (!r) acquire(me, l.object, w.stretches))
REPLACE_VOID(uat_shared_mutex_lock, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_shared_mutex_lock_shared, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE(int, uat_shared_mutex_try_lock, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE(int, uat_shared_mutex_try_lock_shared, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_shared_mutex_unlock, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_shared_mutex_unlock_shared, (uat_shared_mutex_t m), (m), NOTHING, NOTHING)
REPLACE_VOID(uat_latch_destroy, (uat_latch_t l), (l), forget(l.object), NOTHING)
REPLACE_VOID(uat_semaphore_destroy, (uat_semaphore_t s), (s), forget(s.object), NOTHING)
REPLACE_VOID(uat_condition_destroy, (uat_condition_t c), (c), forget(c.object), NOTHING)
REPLACE_VOID(uat_task_barrier_destroy, (uat_task_barrier_t b), (b), forget(b.object), NOTHING)
REPLACE_VOID(uat_channel_destroy, (uat_channel_t c), (c), forget(c.object), NOTHING)
REPLACE(int, uat_task_barrier_wait, (uat_task_barrier_t b), (b), release(me, b.object),
        acquire(me, b.object, w.stretches))
REPLACE(int, uat_channel_send, (uat_channel_t c, const void *value), (c, value), release(me, c.object), NOTHING)
REPLACE(int, uat_channel_try_send, (uat_channel_t c, const void *value), (c, value), NOTHING,
        if (!r) release(me, c.object))
REPLACE(int, uat_channel_receive, (uat_channel_t c, void *value), (c, value), NOTHING,
        acquire(me, c.object, w.stretches))
REPLACE(int, uat_channel_try_receive, (uat_channel_t c, void *value), (c, value), NOTHING,
        if (!r) acquire(me, c.object, w.stretches))
/* A call that may wait releases before it sends. One that does not wait releases only if it has sent. */
REPLACE(int, uat_select, (uat_case_t * cases, int n), (cases, n),
        for (int i = 0; i < n; i++) if (cases[i].sends) release(me, cases[i].channel.object),
        if (r >= 0 && !cases[r].sends) acquire(me, cases[r].channel.object, w.stretches))
REPLACE(int, uat_try_select, (uat_case_t * cases, int n), (cases, n), NOTHING,
        if (r >= 0 && cases[r].sends) release(me, cases[r].channel.object);
        else if (r >= 0) acquire(me, cases[r].channel.object, w.stretches))

/* Tasks that the runtime starts by itself are not measured (H1). */
#define FLOW_TASK                                                                                                      \
    (uat_flow_t * flow, uat_fn * body, const void *arg, size_t size, const uat_flow_access_t *access, size_t n)
REPLACE_VOID(uat_flow_enter, FLOW_TASK, (flow, body, arg, size, access, n), uat_profile_counts.unmeasured++, NOTHING)
REPLACE_VOID(uat_flow_spawn,
             (uat_flow_t * flow, uat_flow_fn *fn, const void *arg, size_t size, const uat_flow_access_t *access,
              size_t n),
             (flow, fn, arg, size, access, n), uat_profile_counts.unmeasured++, NOTHING)
REPLACE_VOID(uat_flow_parted, (uat_flow_t * flow, const uat_flow_access_t *access, size_t n), (flow, access, n),
             NOTHING, NOTHING)
REPLACE_VOID(uat_flow_end_ledger, (uat_flow_t * flow), (flow), NOTHING, NOTHING)
REPLACE_VOID(uat_flow_wait_ledger, (uat_flow_t * flow, const void *p, enum uat_flow_mode mode), (flow, p, mode),
             NOTHING, NOTHING)

void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);

void uat_profile_flow_task(void *handle, uat_fn *body, const void *arg, size_t size)
{
    struct uat_strand *me = uat_profile_stop(UAT_HERE());
    uat_profile_counts.unmeasured++;
    uat_strand_now = NULL;
    __real_uat_spawn(handle, body, arg, size, NULL, 0);
    uat_profile_start(me, UAT_HERE());
}

int __real_uat_work_wanted(void);
int __wrap_uat_work_wanted(void);

/* In a profile, loops split down to their grain, although no worker is idle. */
int __wrap_uat_work_wanted(void)
{
    return uat_strand_now ? 1 : __real_uat_work_wanted();
}
