/* SPDX-License-Identifier: MIT */
/* A range of a sort, and its parallel partition. */
#ifndef UAT_PARTITION_H
#define UAT_PARTITION_H

#include <stdbool.h>
#include <stddef.h>

#include "include/uat/detail/sort.h"

/* The argument of a sort's tasks. The pivot and the user's argument follow it. */
struct uat_range {
    char *base; /* elements */
    size_t count;
    uat_sort_kernel_t kernel;
    int equal;    /* as in uat_sort_pivot_t */
    bool selects; /* of a selection: its partitions follow one another, also those of elements that few workers keep */
    size_t known; /* number of elements at the start that do not belong to the front */
    size_t share; /* number of elements at each end that a child may take */
    size_t arg_offset, bytes; /* arg_offset: of the user's argument in the tail; bytes: of the whole block */
    _Alignas(16) char tail[];
};

static inline char *uat_range_at(const struct uat_range *range, size_t i)
{
    return range->base + i * range->kernel.size;
}

/* The number of elements of `size` bytes that a task checks out at a time in far memory. This is also the size of a far
 * leaf. Never keep the number in a task's frame, because a job that restarts from a checkpoint may have a smaller
 * cache. */
static inline size_t uat_range_window(size_t size)
{
    enum { WINDOW_BYTES = 1 << 18, CHECKOUTS = 4 /* a checkout takes at most 1/CHECKOUTS of the limit */ };
    size_t limit = uat_global_checkout_limit() / CHECKOUTS,
           window = (limit < WINDOW_BYTES ? limit : WINDOW_BYTES) / size;
    return window > 0 ? window : 1;
}

/* Is all of the range near? If so, a checkout has no limit and costs almost nothing. */
static inline int uat_range_is_near(const struct uat_range *range)
{
    size_t bytes = range->count * range->kernel.size;
    return uat_global_near(range->base, bytes) == bytes;
}

/*
 * Move the elements that belong in front of the pivot (range->tail) to the start of the range. Returns their number.
 * May change base, count and known. Runs inside a task; the task may migrate. If the task has failed (failed.h), the
 * number is of no meaning.
 */
size_t uat_partition(struct uat_range *range);

/* uat_partition() of a range whose `known` is 0: between homes if that is worthwhile. */
size_t uat_partition_all(struct uat_range *range);

/* The range's pivot, for the kernel. */
static inline uat_sort_pivot_t uat_range_pivot(const struct uat_range *range)
{
    return (uat_sort_pivot_t){range->tail, range->equal, range->tail + range->arg_offset};
}

/* Two ranges of global memory to exchange. */
struct uat_exchange {
    char *a, *b;
    size_t size; /* bytes of an element */
};

/* Exchange pairs begin to end - 1 of elements; arg: a struct uat_exchange. */
void uat_exchange_some(int64_t begin, int64_t end, const void *arg);

/* What uat_with_range() calls. */
typedef size_t uat_range_fn(struct uat_range *range, size_t place);

/* Make a range of the array on the stack, with a copy of the user's argument, and return fn(range, place). */
size_t uat_with_range(uat_range_fn *fn, const uat_sort_kernel_t *kernel, void *array, size_t count, size_t place,
                      const void *arg, size_t arg_size);

#endif
