/* SPDX-License-Identifier: MIT */
#include "races/order.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/job/fatal.h"

enum {
    STRANDS = 1 << 28,
    LISTS = 1 << 26,
    OBJECTS = 1 << 20, /* a power of 2 */
    CHUNK = 16 << 20   /* bytes */
};

/* A list of strands whose past is ordered before the task that has the list. */
struct list {
    uint32_t strand; /* this strand, or 0 */
    uint32_t a, b;   /* and these lists, or 0 */
    uint32_t stamp;  /* of the last search that came here */
};
struct object {
    uint64_t name;
    uint32_t list;
    uint32_t number; /* uat_races_number_of(), or 0 */
};

struct uat_races_task uat_races_outside = {
    .joined = UAT_RACES_NEVER, .jump = &uat_races_outside, .base = UINTPTR_MAX, .low = UINTPTR_MAX};
struct uat_races_task *uat_races_running = &uat_races_outside;
struct uat_races_strand *uat_races_strands;
uint32_t uat_races_strand_count = 1;

static struct uat_races_task *unused;
static struct list *lists;
static uint32_t *todo; /* of is_in() */
static uint32_t list_count = 1, stamp;
static struct object *objects;
static uint32_t object_count, number_count;

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        uat_fatal("no memory for the race detector");
    return p;
}

void *uat_races_pool(size_t bytes)
{
    static char *at, *end;
    bytes = (bytes + 15) & ~(size_t)15;
    if ((size_t)(end - at) < bytes) {
        size_t chunk = bytes > CHUNK ? bytes : CHUNK;
        at = reserve(chunk);
        end = at + chunk;
    }
    void *p = at;
    at += bytes;
    return p;
}

void uat_races_order_open(void)
{
    uat_races_strands = reserve(sizeof(*uat_races_strands) * STRANDS);
    lists = reserve(sizeof(*lists) * LISTS);
    todo = reserve(2 * sizeof(*todo) * LISTS); /* each list adds at most two */
    objects = reserve(sizeof(*objects) * OBJECTS);
}

struct uat_races_task *uat_races_task_new(struct uat_races_task *parent, uintptr_t site)
{
    struct uat_races_task *t = unused, *j = parent->jump;
    if (t)
        unused = t->next;
    else
        t = uat_races_pool(sizeof(*t));
    *t = (struct uat_races_task){.parent = parent,
                                 .depth = parent->depth + 1,
                                 .spawned = parent->index,
                                 .joined = UAT_RACES_NEVER,
                                 .acquired = parent->acquired,
                                 .site = site,
                                 .low = UINTPTR_MAX};
    /* Two jumps of equal length in a row are followed by one over both (Myers 1983). */
    bool both = parent != &uat_races_outside && parent->depth - j->depth == j->depth - j->jump->depth;
    t->jump = both ? j->jump : parent;
    return t;
}

static uint32_t list_new(uint32_t strand, uint32_t a, uint32_t b)
{
    if (list_count == LISTS)
        uat_fatal("the race detector has no room for more than %d edges; use a smaller input", (int)LISTS);
    lists[list_count] = (struct list){strand, a, b, 0};
    return list_count++;
}

void uat_races_task_joined(struct uat_races_task *me, struct uat_races_task *c)
{
    c->joined = me->index;
    if (c->acquired && c->acquired != me->acquired)
        me->acquired = me->acquired ? list_new(0, c->acquired, me->acquired) : c->acquired;
    if (!c->kept) {
        c->next = unused;
        unused = c;
    }
}

uint32_t uat_races_strand_of(struct uat_races_task *t)
{
    if (t->strand)
        return t->strand;
    if (uat_races_strand_count == STRANDS)
        uat_fatal("the race detector has no room for more than %d strands; use a smaller input", (int)STRANDS);
    t->strand = uat_races_strand_count++;
    uat_races_strands[t->strand] = (struct uat_races_strand){t, t->index, t->part, t->locks, t->acquired};
    for (struct uat_races_task *a = t; a && !a->kept; a = a->parent)
        a->kept = true;
    return t->strand;
}

static struct uat_races_task *ancestor_at(struct uat_races_task *t, uint32_t depth)
{
    while (t->depth > depth)
        t = t->jump->depth >= depth ? t->jump : t->parent;
    return t;
}

/* Does strand (x, i) end before strand (y, j) begins, by spawns and joins alone? (x, i) ran first. */
static bool ordered_by_tree(struct uat_races_task *x, uint32_t i, struct uat_races_task *y, uint32_t j)
{
    if (x == y)
        return i <= j;
    uint32_t depth = x->depth < y->depth ? x->depth : y->depth;
    struct uat_races_task *a = ancestor_at(x, depth), *b = ancestor_at(y, depth);
    if (a == b && a == x) /* x is an ancestor of y */
        return i <= ancestor_at(y, depth + 1)->spawned;
    if (a == b)
        return ancestor_at(x, depth + 1)->joined <= j;
    while (a->parent != b->parent) {
        bool far = a->jump != b->jump;
        a = far ? a->jump : a->parent;
        b = far ? b->jump : b->parent;
    }
    return a->joined <= b->spawned;
}

/* Is a strand in the list, or in what its strands have acquired, after strand i of x? The newest edges come first. A
 * task that waits often has long lists, so this does not recurse. */
static bool is_in(uint32_t list, struct uat_races_task *x, uint32_t i)
{
    size_t count = 0;
    for (todo[count++] = list; count > 0;)
        for (uint32_t at = todo[--count]; at && lists[at].stamp != stamp; at = lists[at].b) {
            const struct uat_races_strand *s = &uat_races_strands[lists[at].strand];
            lists[at].stamp = stamp;
            if (lists[at].a)
                todo[count++] = lists[at].a;
            if (lists[at].strand && ordered_by_tree(x, i, s->task, s->index))
                return true;
            if (lists[at].strand && s->acquired)
                todo[count++] = s->acquired;
        }
    return false;
}

bool uat_races_ordered(const struct uat_races_strand *x)
{
    const struct uat_races_task *me = uat_races_running;
    if (ordered_by_tree(x->task, x->index, uat_races_running, me->index))
        return true;
    stamp++;
    return is_in(me->acquired, x->task, x->index);
}

/* The C++ ABI's state of a thread. The library that has the function is part of C++ programs only. */
struct exceptions {
    void *caught;
    unsigned uncaught;
};
struct exceptions *__cxa_get_globals(void);
#pragma weak __cxa_get_globals

static unsigned uncaught; /* main()'s: a destructor may start the run */

void uat_races_run_starts(void)
{
    if (__cxa_get_globals)
        uncaught = __cxa_get_globals()->uncaught;
}

void uat_races_next_part(struct uat_races_task *t)
{
    if (!__cxa_get_globals || __cxa_get_globals()->uncaught == uncaught)
        t->part++;
    uat_races_next_strand(t);
}

/* The place of the object, or the free place for it. */
static struct object *find_object(uint64_t name)
{
    size_t h = name * UINT64_C(0x9e3779b97f4a7c15) >> 44;
    while (objects[h].name && objects[h].name != name)
        h = (h + 1) % OBJECTS;
    return &objects[h];
}

static struct object *object_of(uint64_t name)
{
    struct object *o = find_object(name);
    if (!o->name && ++object_count > OBJECTS / 4 * 3)
        uat_fatal("the race detector has no room for more than %d objects; use a smaller input", OBJECTS / 4 * 3);
    o->name = name;
    return o;
}

void uat_races_release_strand(uint64_t name, uint32_t strand)
{
    struct object *o = object_of(name);
    for (struct uat_races_task *t = uat_races_running; t && !t->released; t = t->parent)
        t->released = true;
    o->list = list_new(strand, 0, o->list);
}

void uat_races_release(uint64_t name)
{
    uat_races_release_strand(name, uat_races_strand_of(uat_races_running));
    uat_races_next_strand(uat_races_running);
}

void uat_races_acquire(uint64_t name)
{
    struct uat_races_task *me = uat_races_running;
    uint32_t list = object_of(name)->list;
    if (list && list != me->acquired)
        me->acquired = me->acquired ? list_new(0, me->acquired, list) : list;
    uat_races_next_strand(me);
}

uint32_t uat_races_number_of(uint64_t name)
{
    struct object *o = object_of(name);
    if (!o->number)
        o->number = ++number_count;
    return o->number;
}

void uat_races_forget(uint64_t name)
{
    struct object *o = find_object(name);
    o->list = o->number = 0;
}

const void *uat_races_key(const struct uat_races_strand *x, uint32_t *index)
{
    struct uat_races_task *t = x->task;
    *index = x->index;
    while (t->ended && !t->released) {
        if (t->joined == UAT_RACES_NEVER) {
            *index = 0;
            return t->kind == UAT_RACES_BY_GROUP ? t->handle : t;
        }
        *index = t->joined;
        t = t->parent;
    }
    return t;
}
