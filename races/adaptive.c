/* SPDX-License-Identifier: MIT */
/*
 * Adaptive requests. On one worker nobody asks for a part. So the detector takes parts, as a thief would take them: at
 * each uat_context_next(), and where the owner answers also at uat_context_poll(), the second half of the interval,
 * again and again, until one unit is left. A part is a child of the task that has the interval, and
 * uat_context_merge() joins it. So each unit is a task, as each grain of a loop is. A splitter decides itself what it
 * gives, and perhaps by the rank that asks; its interval is not divided.
 */
#include <stdlib.h>
#include <string.h>

#include "include/uat.h"
#include "include/uat/adaptive.h"
#include "races/spawn.h"
#include "races/start.h"
#include "runtime/adaptive/cell.h"
#include "runtime/adaptive/context.h"
#include "runtime/global/global.h"

typedef struct uat_races_task task_t;

struct part {
    uat_task_t task;
    char *result;
    int64_t end; /* of its iterations */
};

/* An interval that the running task has opened. It is in the frame of that task. */
struct uat_races_interval {
    struct uat_races_interval *outer;
    const uat_context_t *context;
    uat_adaptive_fn *fn;
    uint32_t index, acquired; /* of the task, when it opened the interval */
    int count;
    struct part part[UAT_CONTEXT_PARTS]; /* that are not merged, the last one of the interval first */
};

/* The argument of a part's task. */
struct taken {
    struct uat_part part; /* part.fn is that of the program */
    char *result;
};

void __real_uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                             void *result);
void __wrap_uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                             void *result);
int __real_uat_context_next(uat_context_t *c, int64_t most, int64_t *begin, int64_t *end);
int __wrap_uat_context_next(uat_context_t *c, int64_t most, int64_t *begin, int64_t *end);
int __real_uat_context_merge(uat_context_t *c, void *result);
int __wrap_uat_context_merge(uat_context_t *c, void *result);
void __real_uat_context_poll(uat_context_t *c);
void __wrap_uat_context_poll(uat_context_t *c);
int __real_uat_context_take_back(uat_context_t *c, void *result, int64_t *taken_to);
int __wrap_uat_context_take_back(uat_context_t *c, void *result, int64_t *taken_to);

static struct uat_races_interval *interval_of(const uat_context_t *c)
{
    struct uat_races_interval *i = uat_races_in_task() ? uat_races_running->intervals : NULL;
    while (i && i->context != c)
        i = i->outer;
    return i;
}

static void open(struct uat_races_interval *i, uat_adaptive_fn *fn)
{
    task_t *me = uat_races_running;
    i->outer = me->intervals;
    i->context = NULL;
    i->fn = fn;
    i->index = me->index;
    i->acquired = me->acquired;
    i->count = 0;
    me->intervals = i;
    uat_races_next_strand(me);
}

/* Join the next part, and copy its result unless this is NULL. Returns false if there is no part. */
static bool join_part(struct uat_races_interval *i, size_t result_size, void *result, int64_t *end)
{
    if (i->count == 0)
        return false;
    struct part *p = &i->part[--i->count];
    uat_races_join(&p->task);
    if (result)
        memcpy(result, p->result, result_size);
    *end = p->end;
    free(p->result);
    return true;
}

static void close_interval(struct uat_races_interval *i)
{
    int64_t end;
    while (join_part(i, 0, NULL, &end)) {
    }
    uat_races_running->intervals = i->outer;
}

/* The function of an interval. */
static void owner(uat_context_t *c, const void *arg, void *result)
{
    struct uat_races_interval *i = uat_races_running->intervals;
    i->context = c;
    i->fn(c, arg, result);
}

static void run_part(void *arg, void *result)
{
    struct taken *t = arg;
    struct uat_races_interval i;
    uat_context_t c;
    _Alignas(16) char value[t->part.result_size + 1];
    (void)result;
    memset(value, 0, sizeof(value));
    open(&i, t->part.fn);
    uat_context_open(&c, &t->part, t->part.begin, t->part.end);
    c.is_part = 1;
    owner(&c, t->part.arg, value);
    uat_context_end(&c);
    memcpy(t->result, value, t->part.result_size); /* nothing watches this copy */
    close_interval(&i);
}

/* The units [begin, end) become a part. */
static void take(struct uat_races_interval *i, const struct uat_part *whole, uint64_t begin, uint64_t end,
                 uintptr_t site)
{
    task_t *me = uat_races_running;
    struct part *p = &i->part[i->count++];
    struct taken t = {.result = malloc(whole->result_size + 1)};
    memcpy(&t.part, whole, uat_part_size(whole));
    t.part.fn = i->fn;
    t.part.begin = (uint32_t)begin;
    t.part.end = (uint32_t)end;
    t.part.own = -1;
    p->result = t.result;
    p->end = uat_part_iteration(whole, end);
    task_t *c = uat_races_task_new(me, site);
    c->handle = &p->task;
    c->kind = UAT_RACES_BY_HANDLE;
    if (whole->mode == UAT_CONCURRENT) { /* a thief could have come as soon as the interval was open */
        c->spawned = i->index;
        c->acquired = i->acquired;
    }
    uat_races_next_strand(me); /* this is no spawn that could move the task */
    uat_races_spawn_child(c, &p->task, run_part, &t, sizeof(t), NULL, 0);
}

void __wrap_uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                             void *result)
{
    if (!uat_races_in_task() || !a->fn || (a->splitter && a->mode == UAT_COOPERATIVE)) {
        __real_uat_adaptive_run(a, outer, begin, end, arg, result);
        return;
    }
    struct uat_races_interval i;
    uat_adaptive_t watched = *a;
    watched.fn = owner;
    open(&i, a->fn);
    __real_uat_adaptive_run(&watched, outer, begin, end, arg, result);
    close_interval(&i);
    uat_races_next_part(uat_races_running); /* the call may wait for parts */
}

/* Take all the parts that a thief could take. A task that has ranges checked out may call uat_context_next(), but not
 * spawn, so nothing is taken then. */
static void divide(struct uat_races_interval *i, uat_context_t *c, uintptr_t site)
{
    while (!uat_global_has_open()) {
        uint64_t from = uat_word_begin(c->seen), to = uat_word_end(c->seen), middle = from + (to - from + 1) / 2;
        if (from >= to || middle == to || i->count == UAT_CONTEXT_PARTS)
            break;
        uat_context_swap(c, uat_word_with(c->seen, from, middle, 0));
        take(i, c->part, middle, to, site);
    }
}

void __wrap_uat_context_poll(uat_context_t *c)
{
    struct uat_races_interval *i = interval_of(c);
    if (i && c->part->mode == UAT_COOPERATIVE)
        divide(i, c, UAT_RACES_SITE());
    __real_uat_context_poll(c);
}

int __wrap_uat_context_next(uat_context_t *c, int64_t most, int64_t *begin, int64_t *end)
{
    struct uat_races_interval *i = interval_of(c);
    if (i)
        divide(i, c, UAT_RACES_SITE());
    return __real_uat_context_next(c, most, begin, end);
}

int __wrap_uat_context_merge(uat_context_t *c, void *result)
{
    struct uat_races_interval *i = interval_of(c);
    int64_t end;
    int rc = __real_uat_context_merge(c, result);
    return rc || (i && join_part(i, c->part->result_size, result, &end));
}

int __wrap_uat_context_take_back(uat_context_t *c, void *result, int64_t *taken_to)
{
    struct uat_races_interval *i = interval_of(c);
    int rc = __real_uat_context_take_back(c, result, taken_to);
    return rc || (i && join_part(i, c->part->result_size, result, taken_to));
}
