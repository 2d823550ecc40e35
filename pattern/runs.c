/* SPDX-License-Identifier: MIT */
#include "pattern/runs.h"

#include <stdlib.h>
#include <string.h>

#include "pattern/failed.h"

enum {
    SCRATCH_MAX = 1 << 28, /* maximum bytes of scratch memory */
    REVERSED_BYTES = 256   /* maximum bytes of an element to copy through the stack at a time */
};

/* A run: `count` elements at the indices first, first + stride, and so on. No element is less than the previous one. */
struct run {
    size_t first, count;
    ptrdiff_t stride;
};

struct runs {
    const uat_sort_kernel_t *kernel;
    const void *arg;
    char *elements;
    size_t count; /* number of elements */
    struct run run[UAT_RUNS_MAX];
    int n;
};

static int is_less(const struct runs *r, size_t a, size_t b)
{
    size_t size = r->kernel->size;
    return r->kernel->less(r->elements + a * size, r->elements + b * size, r->arg);
}

/* The longest run that starts at `first` with this stride. The result describes a falling run backwards, from its last
 * element on. */
static struct run longest_run(const struct runs *r, size_t first, size_t stride)
{
    size_t at = first;
    if (at + stride >= r->count)
        return (struct run){first, 1, (ptrdiff_t)stride};
    int falls = is_less(r, at + stride, at);
    do
        at += stride;
    while (at + stride < r->count && is_less(r, at + stride, at) == falls);
    size_t count = (at - first) / stride + 1;
    return falls ? (struct run){at, count, -(ptrdiff_t)stride} : (struct run){first, count, (ptrdiff_t)stride};
}

static int find_consecutive(struct runs *r)
{
    r->n = 0;
    for (size_t at = 0; at < r->count; at += r->run[r->n++].count) {
        if (r->n == UAT_RUNS_MAX)
            return 0;
        r->run[r->n] = longest_run(r, at, 1);
    }
    return 1;
}

static int find_interleaved(struct runs *r, int n)
{
    for (r->n = 0; r->n < n; r->n++) {
        size_t first = (size_t)r->n, stride = (size_t)n, whole = (r->count - first + stride - 1) / stride;
        r->run[r->n] = longest_run(r, first, stride);
        if (r->run[r->n].count < whole)
            return 0;
    }
    return 1;
}

/* For the most frequent element sizes, the functions below are inlined with a constant size. */
#define INLINED static inline __attribute__((always_inline))

/* Reverse the elements, which form one falling run. */
INLINED void reverse(char *low, size_t count, size_t size)
{
    char kept[REVERSED_BYTES];
    for (char *high = low + (count - 1) * size; low < high; low += size, high -= size)
        for (size_t done = 0, n; done < size; done += n) {
            n = size - done < sizeof(kept) ? size - done : sizeof(kept);
            memcpy(kept, low + done, n);
            memcpy(low + done, high + done, n);
            memcpy(high + done, kept, n);
        }
}

/* Copy the runs to `to`, one after the other. */
INLINED void gather(const struct runs *r, char *to, size_t size)
{
    for (int i = 0; i < r->n; i++) {
        const char *from = r->elements + r->run[i].first * size;
        ptrdiff_t step = r->run[i].stride * (ptrdiff_t)size;
        for (size_t k = 0; k < r->run[i].count; k++, from += step, to += size)
            memcpy(to, from, size);
    }
}

INLINED void merge(const uat_sort_kernel_t *kernel, const void *arg, char *to, const char *a, const char *a_end,
                   const char *b, const char *b_end, size_t size)
{
    for (; a < a_end && b < b_end; to += size) { /* no branch depends on an element */
        uintptr_t second = kernel->less(b, a, arg) != 0;
        const char *next[2] = {a, b};
        memcpy(to, next[second], size);
        b += second * size;
        a += (1 - second) * size;
    }
    memcpy(to, a, (size_t)(a_end - a));
    to += a_end - a;
    if (to != b) /* copy unless b is already in its place */
        memcpy(to, b, (size_t)(b_end - b));
}

#define BY_SIZE(size, call, ...)                                                                                       \
    ((size) == sizeof(uint32_t)   ? call(__VA_ARGS__, sizeof(uint32_t))                                                \
     : (size) == sizeof(uint64_t) ? call(__VA_ARGS__, sizeof(uint64_t))                                                \
                                  : call(__VA_ARGS__, size))

void uat_sort_merge(const uat_sort_kernel_t *kernel, const void *arg, void *to, const void *a, size_t a_count,
                    const void *b, size_t b_count)
{
    size_t size = kernel->size, a_bytes = a_count * size, b_bytes = b_count * size;
    const char *a_end = (const char *)a + a_bytes, *b_end = (const char *)b + b_bytes;
    if (a_count > 0 && b_count > 0 && kernel->less(b_end - size, a, arg)) {
        memmove(to, b, b_bytes);
        memcpy((char *)to + b_bytes, a, a_bytes);
    } else
        BY_SIZE(size, merge, kernel, arg, to, a, a_end, b, b_end);
}

/* Merge runs i and i + 1 from the scratch buffer back into the elements. */
static void merge_pair(const struct runs *r, const char *scratch, int i)
{
    size_t size = r->kernel->size, at = i == 0 ? 0 : (r->run[0].count + r->run[1].count) * size;
    size_t low = r->run[i].count, high = i + 1 < r->n ? r->run[i + 1].count : 0;
    uat_sort_merge(r->kernel, r->arg, r->elements + at, scratch + at, low, scratch + at + low * size, high);
}

static int merge_runs(const struct runs *r)
{
    size_t size = r->kernel->size;
    if (r->count > SCRATCH_MAX / size)
        return 0;
    char *scratch = malloc(r->count * size);
    if (!scratch)
        return 0;
    BY_SIZE(size, gather, r, scratch);
    merge_pair(r, scratch, 0);
    if (r->n > 2) {
        size_t low = r->run[0].count + r->run[1].count;
        merge_pair(r, scratch, 2);
        memcpy(scratch, r->elements, r->count * size);
        uat_sort_merge(r->kernel, r->arg, r->elements, scratch, low, scratch + low * size, r->count - low);
    }
    free(scratch);
    return 1;
}

int uat_sort_runs(const uat_sort_kernel_t *kernel, void *elements, size_t count, const void *arg)
{
    struct runs r = {.kernel = kernel, .arg = arg, .elements = elements, .count = count};
    int found = find_consecutive(&r);
    for (int n = 2; !found && n <= UAT_RUNS_MAX && (size_t)n < count; n++)
        found = find_interleaved(&r, n);
    if (!found || r.n > 1)
        return found && merge_runs(&r);
    if (r.n == 1 && r.run[0].stride < 0)
        BY_SIZE(kernel->size, reverse, r.elements, count);
    return 1;
}

bool uat_sort_here(const uat_sort_kernel_t *kernel, void *elements, size_t count, const void *arg)
{
    return (kernel->partition && (uat_sort_runs(kernel, elements, count, arg) || uat_failed())) ||
           kernel->sort(elements, count, arg);
}
