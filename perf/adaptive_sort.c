/* SPDX-License-Identifier: MIT */
/*
 * A merge sort in passes. The first pass sorts chunks. Each later pass merges pairs of runs. An iteration of a merge
 * pass makes one chunk of the output. A binary search finds where the chunk starts and ends in both runs. In virtual
 * time an element takes SORT_NS in the first pass, and MERGE_NS in each later pass.
 */
#include "perf/adaptive_sort.h"

#include <errno.h>
#include <stdlib.h>

#include "uat/global.h"
#include "uat/pattern.h"

enum { SORT_NS = 60, MERGE_NS = 5, PROBE_NS = 20 };

typedef uint32_t element;

static element *data, *spare;

int adaptive_sort_open(int64_t n)
{
    data = uat_global_alloc((size_t)n * sizeof(element), UAT_BLOCKED, 0);
    spare = uat_global_alloc((size_t)n * sizeof(element), UAT_BLOCKED, 0);
    return data && spare ? 0 : -ENOMEM;
}

static int compare(const void *a, const void *b)
{
    const element *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int compare_for_sort(const void *a, const void *b, const void *arg)
{
    (void)arg;
    return compare(a, b);
}

/* A pass: merges the runs of `from` into `to`. Each run has `width` elements. */
struct merge {
    int64_t n, width;
    const element *from;
    element *to;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static element value(int64_t i)
{
    return (element)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static void fill(int64_t begin, int64_t end, const void *arg)
{
    const struct merge *m = arg;
    for (int64_t c = begin; c < end; c++) {
        int64_t at = c * UAT_SORT_CHUNK, count = least(UAT_SORT_CHUNK, m->n - at);
        element *p = uat_global_checkout(m->to + at, (size_t)count * sizeof(element), UAT_WRITE);
        for (int64_t i = 0; i < count; i++)
            p[i] = value(at + i);
        uat_global_checkin(m->to + at, (size_t)count * sizeof(element), UAT_WRITE);
    }
}

static void sort_chunks(int64_t begin, int64_t end, const void *arg)
{
    const struct merge *m = arg;
    for (int64_t c = begin; c < end; c++) {
        int64_t at = c * UAT_SORT_CHUNK, count = least(UAT_SORT_CHUNK, m->n - at);
        element *p = uat_global_checkout(m->to + at, (size_t)count * sizeof(element), UAT_READ_WRITE);
        qsort(p, (size_t)count, sizeof(element), compare);
        uat_sim_work((uint64_t)count * SORT_NS);
        uat_global_checkin(m->to + at, (size_t)count * sizeof(element), UAT_READ_WRITE);
    }
}

static element at(const element *p)
{
    element e;
    uat_global_get(&e, p, sizeof(e));
    uat_sim_work(PROBE_NS);
    return e;
}

/* Merge runs a and b: how many of the first `count` elements come from run a? */
static int64_t share_of(const element *a, int64_t na, const element *b, int64_t nb, int64_t count)
{
    int64_t low = count > nb ? count - nb : 0, high = least(count, na);
    while (low < high) {
        int64_t i = low + (high - low) / 2;
        if (at(a + i) <= at(b + (count - i - 1)))
            low = i + 1;
        else
            high = i;
    }
    return low;
}

static const element *open_run(const element *p, int64_t count)
{
    return count > 0 ? uat_global_checkout(p, (size_t)count * sizeof(element), UAT_READ) : NULL;
}

static void close_run(const element *p, int64_t count)
{
    if (count > 0)
        uat_global_checkin(p, (size_t)count * sizeof(element), UAT_READ);
}

/* Store elements [first, last) of the merged runs a and b in `to`. */
static void merge_part(const element *a, int64_t na, const element *b, int64_t nb, int64_t first, int64_t last,
                       element *to)
{
    int64_t i = share_of(a, na, b, nb, first), ni = share_of(a, na, b, nb, last) - i, j = first - i,
            nj = last - first - ni;
    const element *p = open_run(a + i, ni), *q = open_run(b + j, nj), *x = p, *y = q;
    size_t bytes = (size_t)(last - first) * sizeof(element);
    element *out = uat_global_checkout(to, bytes, UAT_WRITE);
    for (int64_t k = 0; k < last - first; k++)
        out[k] = y == q + nj || (x != p + ni && *x <= *y) ? *x++ : *y++;
    uat_sim_work((uint64_t)(last - first) * MERGE_NS);
    uat_global_checkin(to, bytes, UAT_WRITE);
    close_run(b + j, nj);
    close_run(a + i, ni);
}

static void merge_chunks(int64_t begin, int64_t end, const void *arg)
{
    const struct merge *m = arg;
    for (int64_t c = begin; c < end; c++) {
        int64_t first = c * UAT_SORT_CHUNK, last = least(m->n, first + UAT_SORT_CHUNK);
        int64_t pair = first / (2 * m->width) * (2 * m->width);
        int64_t na = least(m->width, m->n - pair), nb = least(m->width, m->n - pair - na);
        merge_part(m->from + pair, na, m->from + pair + na, nb, first - pair, last - pair, m->to + first);
    }
}

static int64_t chunks_of(int64_t n)
{
    return (n + UAT_SORT_CHUNK - 1) / UAT_SORT_CHUNK;
}

static int merges_of(int64_t n)
{
    int merges = 0;
    for (int64_t width = UAT_SORT_CHUNK; width < n; width *= 2)
        merges++;
    return merges;
}

void adaptive_sort_fill(int64_t n)
{
    const struct merge m = {.n = n, .to = data};
    uat_for(0, chunks_of(n), 0, fill, &m, sizeof(m));
}

void adaptive_sort_passes(int64_t n, adaptive_pass *pass)
{
    struct merge m = {.n = n, .width = UAT_SORT_CHUNK, .from = spare, .to = data};
    pass(chunks_of(n), sort_chunks, &m, sizeof(m));
    for (; m.width < n; m.width *= 2) {
        element *from = m.to;
        m.to = m.to == data ? spare : data;
        m.from = from;
        pass(chunks_of(n), merge_chunks, &m, sizeof(m));
    }
}

void adaptive_sort_by_library(int64_t n)
{
    uat_sort(data, (size_t)n, sizeof(element), compare_for_sort, NULL, 0);
}

static void check(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct merge *m = arg;
    struct adaptive_sorted *sum = partial;
    for (int64_t c = begin; c < end; c++) {
        int64_t first = c * UAT_SORT_CHUNK, count = least(UAT_SORT_CHUNK, m->n - first), more = first + count < m->n;
        const element *p = open_run(m->from + first, count + more);
        for (int64_t i = 0; i < count; i++)
            sum->sum += p[i];
        for (int64_t i = 1; i < count + more; i++)
            sum->wrong += p[i] < p[i - 1];
        close_run(m->from + first, count + more);
    }
}

static void add(void *left, const void *right, const void *arg)
{
    struct adaptive_sorted *l = left;
    const struct adaptive_sorted *r = right;
    (void)arg;
    l->wrong += r->wrong;
    l->sum += r->sum;
}

struct adaptive_sorted adaptive_sort_check(int64_t n, bool by_library)
{
    static const struct adaptive_sorted zero;
    const uat_reduction_t checking = {check, add, &zero, sizeof(zero)};
    const struct merge m = {.n = n, .from = by_library || merges_of(n) % 2 == 0 ? data : spare};
    struct adaptive_sorted sum;
    uat_reduce(0, chunks_of(n), 0, &checking, &m, sizeof(m), &sum);
    return sum;
}

int adaptive_sort_alone(int64_t n, struct adaptive_sorted *sum)
{
    element *p = malloc((size_t)n * sizeof(element));
    if (!p)
        return -ENOMEM;
    *sum = (struct adaptive_sorted){0};
    for (int64_t i = 0; i < n; i++)
        sum->sum += p[i] = value(i);
    qsort(p, (size_t)n, sizeof(element), compare);
    uat_sim_work((uint64_t)n * (uint64_t)(SORT_NS + merges_of(n) * MERGE_NS));
    for (int64_t i = 1; i < n; i++)
        sum->wrong += p[i] < p[i - 1];
    free(p);
    return 0;
}
