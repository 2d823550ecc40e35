/* SPDX-License-Identifier: MIT */
/*
 * Description: in virtual time with two workers, a loop that no team runs, because its argument is too large for one,
 * runs repeatedly. Most of its iterations run on the worker that ran them in the previous pass. A reduction keeps its
 * order even if splits spawn the second half.
 * usage: again [PASSES]
 */
#include <stdio.h>
#include <stdlib.h>

#include "uat/global.h"
#include "uat/pattern.h"

enum { COUNT = 4096, WORK_NS = 1000, LARGE = 5000 };

struct run {
    int64_t seen; /* first iteration of this part */
    int64_t count;
    int64_t wrong;
};

static unsigned char *ranks;
static const char large[LARGE]; /* the loops' argument, which they do not use */

static void note_rank(int64_t begin, int64_t end, const void *arg)
{
    unsigned char rank = (unsigned char)uat_rank();
    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        uat_sim_work(WORK_NS);
        uat_global_put(ranks + i, &rank, 1);
    }
}

/* Partial results must be combined in the order of their iterations. Each partial result is the range of iterations
 * that it combines. */
static void add_range(int64_t begin, int64_t end, void *partial, const void *arg)
{
    struct run *r = partial;
    (void)arg;
    uat_sim_work((uint64_t)(end - begin) * WORK_NS);
    r->wrong += r->count > 0 && r->seen + r->count != begin;
    r->seen = r->count > 0 ? r->seen : begin;
    r->count += end - begin;
}

static void combine(void *left, const void *right, const void *arg)
{
    struct run *l = left;
    const struct run *r = right;
    (void)arg;
    l->wrong += r->wrong + (l->count > 0 && r->count > 0 && l->seen + l->count != r->seen);
    l->seen = l->count > 0 ? l->seen : r->seen;
    l->count += r->count;
}

/* Returns how many iterations, in all passes, did not run on the same worker as in the previous pass. A negative number
 * means that the reduction is wrong. */
UAT_TASK(int64_t, passes, int64_t, count)
{
    static const struct run none;
    const struct uat_reduction reduction = {add_range, combine, &none, sizeof(none)};
    unsigned char before[COUNT], now[COUNT];
    int64_t moved = 0;
    for (int64_t pass = 0; pass <= count; pass++) {
        struct run r;
        uat_for(0, COUNT, 0, note_rank, large, LARGE);
        uat_global_get(now, ranks, COUNT);
        for (int i = 0; i < COUNT && pass > 0; i++)
            moved += before[i] != now[i];
        __builtin_memcpy(before, now, COUNT);
        uat_reduce(0, COUNT, 0, &reduction, large, LARGE, &r);
        if (r.wrong || r.seen != 0 || r.count != COUNT)
            return -1;
    }
    return moved;
}

int main(int argc, char **argv)
{
    int64_t moved = -1, count = argc > 1 ? atol(argv[1]) : 10;
    if (uat_init() || !(ranks = uat_global_alloc(COUNT, UAT_BLOCKED, 0)))
        return 1;
    int failed = passes_run(&moved, count) || moved < 0 || moved > count * COUNT / 5;
    if (uat_rank() == 0)
        printf("%lld of %lld iterations moved\n", (long long)moved, (long long)(count * COUNT));
    return uat_finalize() || failed;
}
