/* SPDX-License-Identifier: MIT */
/*
 * A prefix sum by adaptive requests. The owner writes prefix sums from the front. A part only adds up its iterations,
 * because the sum before the part is not known yet. When this sum is known, a second pass over the part writes the
 * part's prefix sums.
 *
 * A part that was divided can be as long as half of the interval, so its second pass must be parallel. For this the
 * part leaves a list of pieces: blocks of its own iterations, followed by the parts that were taken from it. Each piece
 * has its sum, and a piece that is a part has a list, too. A list is the value of a future, so all workers reach it by
 * name. The second pass of a list is a task that makes a task for each piece. So the tree of the lists spreads the
 * second pass over all workers.
 */
#include "perf/adaptive_prefix.h"

#include "uat.h"
#include "uat/sync.h"

enum {
    BLOCKS = 8,                          /* maximum blocks of a part's own iterations; an even number */
    PIECES = BLOCKS + UAT_CONTEXT_PARTS, /* maximum pieces of a list */
    TASKS = 2 * UAT_CONTEXT_PARTS        /* maximum tasks that the owner has not joined */
};

/* A piece starts where the piece before it ends. `list` is the name of its own list, or 0. */
struct piece {
    int64_t end;
    uint64_t sum, list;
};

struct list {
    int64_t count;
    int64_t size;  /* iterations after which a part begins its next block */
    int64_t begin; /* the start of its last block */
    struct piece piece[PIECES];
};
_Static_assert(sizeof(struct list) <= 1024, "the default of UAT_RESULT_MAX");

UAT_FUTURE(struct list, list);

uint64_t adaptive_write_sums(int64_t begin, int64_t end, uint64_t *sum)
{
    uint64_t written = 0;
    adaptive_spend(begin, end);
    for (int64_t i = begin; i < end; i++) {
        *sum += adaptive_value(i);
        written += *sum * (uint64_t)(i | 1);
    }
    return written;
}

/* The second pass over a piece. sum: the sum before the piece. Returns the checksum of the piece's prefix sums. */
UAT_TASK_DECLARE(uint64_t, second, int64_t, begin, struct piece, piece, uint64_t, sum)

static uint64_t second_of_list(int64_t begin, uint64_t name, uint64_t sum)
{
    const list_future future = {{name, sizeof(struct list)}};
    struct list list = list_get(future);
    second_task task[PIECES];
    uint64_t written = 0;
    list_destroy(future);
    for (int i = 0; i < list.count; i++) {
        second_spawn(&task[i], begin, list.piece[i], sum);
        begin = list.piece[i].end;
        sum += list.piece[i].sum;
    }
    for (int i = (int)list.count; i-- > 0;)
        written += second_join(&task[i]);
    return written;
}

static uint64_t second(int64_t begin, struct piece piece, uint64_t sum)
{
    return piece.list ? second_of_list(begin, piece.list, sum) : adaptive_write_sums(begin, piece.end, &sum);
}

/* Join the blocks of a full list in pairs. */
static void join_blocks(struct list *list)
{
    for (int i = 0; i < BLOCKS / 2; i++) {
        const struct piece *pair = &list->piece[2 * i];
        list->piece[i] = (struct piece){.end = pair[1].end, .sum = pair[0].sum + pair[1].sum};
    }
    list->count = BLOCKS / 2;
    list->size *= 2;
}

/* Add a part's own iterations [begin, end). */
static void add_own(struct list *list, int64_t begin, int64_t end, uint64_t sum)
{
    struct piece *last = &list->piece[list->count > 0 ? list->count - 1 : 0];
    if (list->count > 0 && end - list->begin <= list->size) {
        last->end = end;
        last->sum += sum;
        return;
    }
    if (list->count == BLOCKS)
        join_blocks(list);
    if (list->count == 0)
        list->size = end - begin;
    list->begin = begin;
    list->piece[list->count++] = (struct piece){.end = end, .sum = sum};
}

/* Sums the iterations of a part, merges the parts that were taken from it, and leaves a list of all of them. */
static void sum_part(uat_context_t *c, struct adaptive_sums *s)
{
    struct list list = {0};
    struct adaptive_sums more;
    int64_t begin, end;
    while (uat_context_next(c, adaptive_most(), &begin, &end)) {
        uint64_t sum = 0;
        adaptive_spend(begin, end);
        for (int64_t i = begin; i < end; i++)
            sum += adaptive_value(i);
        add_own(&list, begin, end, sum);
        s->sum += sum;
        s->end = end;
    }
    while (uat_context_merge(c, &more)) {
        list.piece[list.count++] = (struct piece){more.end, more.sum, more.list};
        s->sum += more.sum;
        s->end = more.end;
    }
    if (list.count == 1) {
        s->list = list.piece[0].list;
    } else if (list.count > 1) {
        list_future future = list_create();
        list_set(future, list);
        s->list = future.future.object;
    }
}

/* The owner keeps the running sum. It takes each part back, spawns a task for the part's second pass, and continues
 * after the iterations that the part has summed. */
static void own_interval(uat_context_t *c, struct adaptive_sums *s)
{
    second_task task[TASKS];
    int64_t begin, end, at = 0;
    struct adaptive_sums more;
    int tasks = 0;
    for (;;) {
        while (uat_context_next(c, adaptive_most(), &begin, &end)) {
            s->written += adaptive_write_sums(begin, end, &s->sum);
            at = end;
        }
        if (tasks == TASKS)
            s->written += second_join(&task[--tasks]);
        if (!uat_context_take_back(c, &more, &end))
            break;
        second_spawn(&task[tasks++], at, (struct piece){end, more.sum, more.list}, s->sum);
        s->sum += more.sum;
        at = end;
    }
    while (tasks > 0)
        s->written += second_join(&task[--tasks]);
}

void adaptive_prefix_part(uat_context_t *c, const void *arg, void *result)
{
    struct adaptive_sums s = {0};
    (void)arg;
    if (c->is_part)
        sum_part(c, &s);
    else
        own_interval(c, &s);
    *(struct adaptive_sums *)result = s;
}
