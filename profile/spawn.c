/* SPDX-License-Identifier: MIT */
/* Spawn, join and run of a program that is profiled, and its loops that teams run. */
#include "profile/profile.h"

#include <alloca.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "include/uat/detail/failure.h"
#include "include/uat/reducer.h"
#include "profile/clock.h"
#include "runtime/task/views.h"
#include "runtime/team/team.h"

typedef struct uat_profile_totals totals_t;
_Static_assert(sizeof(totals_t) % 16 == 0, "results keep their alignment");
_Static_assert(offsetof(uat_group_t, record) == 24, "the runtime knows the start of a group");

void __real_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);
void __real_uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size);
void __real_uat_join_in_place(uat_task_t *t);
int __real_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t size);
bool __real_uat_team_run(const struct uat_team_loop *loop, uat_team_combine_fn *combine, void *into);
bool __wrap_uat_team_run(const struct uat_team_loop *loop, uat_team_combine_fn *combine, void *into);

struct uat_profile_counts uat_profile_counts;
struct uat_strand uat_profile_outside;
void (*uat_profile_as)(void);
static bool active; /* in a run that is profiled */

/* The argument of a measured task, followed by the user's argument. */
struct head {
    uat_fn *fn;
    uint64_t name, fn_address, site;
    uint64_t result; /* bytes of the user's result, rounded up to 8: the totals follow it */
    double burdened;
    struct uat_profile_span span;
    uat_reducer_t reducer; /* of the task's group */
    bool in_group, is_root;
};
enum { HEAD = (sizeof(struct head) + 63) / 64 * 64 };

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    uat_totals_combine(left, right);
}
static const totals_t nothing;
static const uat_reduction_t sum = {NULL, combine, &nothing, sizeof(totals_t)};

static void end_task(struct uat_strand *s, const struct head *h, void *result)
{
    struct uat_name *row = uat_name_row(h->name, h->fn_address, h->site);
    row->count++;
    row->own += s->own;
    row->work += s->totals.work;
    row->span += s->totals.span.ns - s->begin_ns;
    row->burdened += s->totals.burdened - s->begin_burdened;
    uat_strand_now = NULL;
    if (h->in_group)
        uat_totals_combine(uat_reducer_view(&h->reducer), &s->totals);
    else
        memcpy((char *)result + h->result, &s->totals, sizeof(s->totals));
}

static void body(void *arg, void *result)
{
    struct head h = *(struct head *)arg;
    struct uat_strand strand;
    if (h.is_root)
        uat_profile_measure();
    uat_name_row(h.name, h.fn_address, h.site);
    uat_strand_begin(&strand, h.name, &h.span, h.burdened);
    uat_profile_start(&strand, h.fn_address);
    h.fn((char *)arg + HEAD, result);
    uat_profile_stop(0);
    end_task(&strand, &h, result);
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void make_head(struct head *h, uat_fn *fn, uint64_t site, const struct uat_strand *s)
{
    uint64_t address = (uint64_t)(uintptr_t)fn;
    if (uat_profile_as)
        address = (uint64_t)(uintptr_t)uat_profile_as;
    uat_profile_as = NULL;
    memset(h, 0, sizeof(*h));
    h->fn = fn;
    h->fn_address = address;
    h->site = site;
    h->name = uat_name_key(address, site);
    h->span = s->totals.span;
    h->burdened = s->totals.burdened;
}

/* rank: -1 for the worker itself. The pointers are into the spawner's frames, so they stay valid when its continuation
 * moves. */
static void spawn(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size,
                  uint64_t site)
{
    struct uat_strand *me = uat_profile_stop(site);
    bool in_group = result == UAT_GROUP_RESULT;
    if (!me) {
        uat_profile_as = NULL;
        uat_profile_counts.unmeasured += active;
        if (rank < 0)
            __real_uat_spawn(t, fn, arg, n, result, size);
        else
            __real_uat_spawn_on(t, rank, fn, arg, n, result, size);
        if (!in_group)
            t->profile.measured = 0;
        return;
    }
    size_t kept = round_up(size, 8), whole = in_group ? 0 : kept + sizeof(totals_t);
    char *packed = __builtin_alloca_with_align(HEAD + n + 1, 512), *room = __builtin_alloca_with_align(whole + 1, 128);
    struct head *h = (struct head *)packed;
    make_head(h, fn, site, me);
    h->result = kept;
    h->in_group = in_group;
    if (in_group) {
        struct uat_profile_group *g = &((uat_group_t *)t)->profile;
        h->reducer = (uat_reducer_t){g->key, (const uat_reduction_t *)g->operations};
    }
    if (n)
        memcpy(packed + HEAD, arg, n);
    uat_strand_now = NULL;
    if (rank < 0)
        __real_uat_spawn(t, fn ? body : NULL, packed, HEAD + n, in_group ? result : room, whole);
    else
        __real_uat_spawn_on(t, rank, fn ? body : NULL, packed, HEAD + n, in_group ? result : room, whole);
    if (in_group) {
        uat_strand_spawned_in_group(me, &((uat_group_t *)t)->profile);
    } else {
        uat_strand_spawned(me, &t->profile);
        if (t->record) { /* the result comes at the join */
            t->result = result;
        } else {
            if (size)
                memcpy(result, room, size);
            memcpy(&t->profile.totals, room + kept, sizeof(totals_t));
        }
    }
    uat_profile_start(me, site);
}

void __wrap_uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size)
{
    spawn(t, -1, fn, arg, n, result, size, UAT_HERE());
}

void __wrap_uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result, size_t size)
{
    spawn(t, -1, fn, arg, n, result, size, UAT_HERE());
}

void __wrap_uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t n, void *result, size_t size)
{
    spawn(t, rank, fn, arg, n, result, size, UAT_HERE());
}

/* Wait for a child that has parted: its result comes into this frame first, since the totals follow the user's part. */
static void wait_for_child(uat_task_t *t, struct uat_strand *me, void (*wait)(uat_task_t *))
{
    struct uat_wait w = uat_wait_begin(me);
    if (!t->profile.measured) {
        wait(t);
    } else {
        size_t whole = t->size, kept = whole - sizeof(totals_t);
        void *result = t->result;
        char *room = __builtin_alloca_with_align(whole, 128);
        memset(room, 0, whole);
        t->result = room;
        wait(t);
        if (result && !uat_failing.yes)
            memcpy(result, room, kept);
        memcpy(&t->profile.totals, room + kept, sizeof(totals_t));
    }
    uat_wait_end(&w, me);
}

static void join(uat_task_t *t, uint64_t site, void (*wait)(uat_task_t *))
{
    struct uat_strand *me = uat_profile_stop(site);
    if (t->record)
        wait_for_child(t, me, wait);
    if (me && t->profile.measured)
        uat_strand_join(me, &t->profile);
    t->profile.measured = 0;
    uat_profile_start(me, site);
}

void uat_profile_join(uat_task_t *t)
{
    join(t, UAT_HERE(), uat_join_wait);
}

void uat_profile_joined(uat_task_t *t)
{
    join(t, UAT_HERE(), uat_join_wait);
}

void __wrap_uat_join_in_place(uat_task_t *t)
{
    if (t->result == UAT_GROUP_RESULT)
        __real_uat_join_in_place(t);
    else
        join(t, UAT_HERE(), __real_uat_join_in_place);
}

void uat_profile_group_begin(uat_group_t *group)
{
    uat_reducer_t reducer = {&group->profile, &sum};
    if (uat_strand_now)
        uat_reducer_begin(&reducer, &sum);
    group->profile = (struct uat_profile_group){reducer.key, reducer.operations, 0};
}

void uat_profile_group_wait(uat_group_t *group)
{
    uint64_t site = UAT_HERE();
    struct uat_strand *me = uat_profile_stop(site);
    if (group->record) {
        struct uat_wait w = uat_wait_begin(me);
        group->task.record = group->record;
        uat_join_wait((uat_task_t *)&group->task);
        uat_wait_end(&w, me);
    }
    if (me && group->profile.spawned) {
        totals_t t;
        const uat_reducer_t reducer = {group->profile.key, (const uat_reduction_t *)group->profile.operations};
        uat_reducer_take(&reducer, &t);
        uat_strand_join_group(me, &group->profile, &t);
    }
    uat_profile_start(me, site);
}

/* ---- teams ---- */

/* The block of a team's loop, followed by the library's block. */
struct team_head {
    struct head task;
    uat_team_fn *run;
    uat_team_combine_fn *combine;
};
enum { TEAM_HEAD = (sizeof(struct team_head) + 63) / 64 * 64 };

static void run_part(void *block, int64_t begin, int64_t end, void *value)
{
    const struct team_head *h = block;
    struct uat_strand strand;
    uat_name_row(h->task.name, h->task.fn_address, h->task.site);
    uat_strand_begin(&strand, h->task.name, &h->task.span, h->task.burdened);
    uat_profile_start(&strand, h->task.fn_address);
    h->run((char *)block + TEAM_HEAD, begin, end, value);
    uat_profile_stop(0);
    end_task(&strand, &h->task, NULL);
}

static void combine_parts(void *block, void *into, const void *value)
{
    ((struct team_head *)block)->combine((char *)block + TEAM_HEAD, into, value);
}

/* The parts are children of the loop's task, as those of a group. They all begin at once, so there is one burden. */
bool __wrap_uat_team_run(const struct uat_team_loop *loop, uat_team_combine_fn *combine, void *into)
{
    uint64_t site = UAT_HERE();
    struct uat_strand *me = uat_profile_stop(site);
    if (!me)
        return __real_uat_team_run(loop, combine, into);
    char *block = __builtin_alloca_with_align(TEAM_HEAD + loop->bytes, 512);
    struct team_head *h = (struct team_head *)block;
    struct uat_profile_group group = {0};
    struct uat_team_loop measured = *loop;
    uat_profile_as = (void (*)(void))(uintptr_t)loop->body;
    make_head(&h->task, NULL, site, me);
    h->task.burdened += uat_strand_burden;
    h->task.in_group = true;
    h->run = loop->run;
    h->combine = combine;
    memcpy(block + TEAM_HEAD, loop->block, loop->bytes);
    uat_reducer_begin(&h->task.reducer, &sum);
    uat_views_seen = true; /* Each part leaves a view: have slots for them, or the parts contend for one list. */
    measured.run = run_part;
    measured.block = block;
    measured.bytes = TEAM_HEAD + loop->bytes;
    struct uat_wait w = uat_wait_begin(me);
    bool ran = __real_uat_team_run(&measured, combine_parts, into);
    if (ran) {
        totals_t t;
        uat_wait_end(&w, me);
        uat_reducer_take(&h->task.reducer, &t);
        uat_strand_spawned_in_group(me, &group);
        uat_strand_join_group(me, &group, &t);
    }
    uat_profile_start(me, site);
    return ran;
}

/* ns on the processor, and in its queue, since the thread's start. */
static void read_schedule(double *on, double *queued)
{
    char text[128] = "";
    unsigned long long a = 0, b = 0;
    int f = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (f >= 0 && read(f, text, sizeof(text) - 1) > 0)
        sscanf(text, "%llu %llu", &a, &b);
    if (f >= 0)
        close(f);
    *on = (double)a;
    *queued = (double)b;
}

/* Add what the run took. scheduled: two times of read_schedule() at its start, and the start itself. */
static void count_run(const double at_start[3])
{
    double on = 0, queued = 0;
    uat_profile_counts.elapsed_ns += (double)uat_time_ns() - at_start[2];
    if (uat_profile_is_virtual())
        return;
    read_schedule(&on, &queued);
    uat_profile_counts.on_cpu_ns += on - at_start[0];
    uat_profile_counts.queued_ns += queued - at_start[1];
}

int __wrap_uat_run(uat_fn *root, const void *arg, size_t n, void *result, size_t size)
{
    uint64_t site = UAT_HERE();
    bool refused = (uat_rank() == 0 && (!root || (n > 0 && !arg))) || (size > 0 && !result); /* by uat_run() */
    if (!uat_profile_file() || refused)
        return __real_uat_run(root, arg, n, result, size);
    size_t kept = round_up(size, 8), whole = size == 0 && uat_rank() > 0 ? 0 : kept + sizeof(totals_t);
    char *packed = __builtin_alloca_with_align(HEAD + n + 1, 512), *room = __builtin_alloca_with_align(whole + 1, 128);
    struct head *h = (struct head *)packed;
    uat_profile_clock_set();
    make_head(h, root, site, &uat_profile_outside);
    h->result = kept;
    h->is_root = true;
    if (n && arg)
        memcpy(packed + HEAD, arg, n);
    double at_start[3] = {0, 0, (double)uat_time_ns()};
    if (!uat_profile_is_virtual())
        read_schedule(&at_start[0], &at_start[1]);
    active = true;
    int rc = __real_uat_run(root ? body : NULL, packed, HEAD + n, whole ? room : NULL, whole);
    active = false;
    uat_strand_now = NULL;
    count_run(at_start);
    if (rc || !whole)
        return rc;
    if (size && !uat_failing.yes)
        memcpy(result, room, size);
    if (!uat_failing.yes) {
        totals_t *t = (totals_t *)(room + kept);
        uat_profile_outside.totals.work += t->work;
        uat_profile_outside.totals.tasks += t->tasks;
        uat_profile_outside.totals.calls += t->calls;
        uat_profile_outside.totals.burdened = t->burdened;
        uat_profile_outside.totals.span = t->span;
    }
    return 0;
}
