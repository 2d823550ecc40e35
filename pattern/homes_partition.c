/* SPDX-License-Identifier: MIT */
/*
 * A partition in place between homes: each part is partitioned where it is. Then the parts in front exchange the
 * elements that do not belong to the front for those that do, of the parts after them. So at most half of the elements
 * move, once each.
 *
 * A stable partition divides a copy of each part, which it puts where the part is, into a twin of the array. Then each
 * part fetches the elements that belong there. So each element moves at most once, and a failure leaves the array as
 * it was.
 */
#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "pattern/failed.h"
#include "pattern/homes.h"
#include "pattern/partition.h"

#define NO_MEMORY SIZE_MAX /* as the count of a part */

/* The argument of the loops. A copy of the range follows it, or the user's argument if the partition is stable. */
struct division {
    struct uat_parts parts;
    size_t counts[UAT_COUNTED_MAX]; /* elements of each part that belong to the front */
    size_t front;                   /* their sum */
    uat_divide_fn *divide;          /* of a stable partition, or NULL */
    struct uat_twin twin;           /* the same */
    size_t range_bytes;
    _Alignas(16) char range[];
};

static void add_counts(void *left, const void *right, const void *arg)
{
    const struct division *d = arg;
    size_t *a = left;
    const size_t *b = right;
    for (int r = 0; r < d->parts.parts; r++)
        a[r] += b[r];
}

/* Partition part r. Returns the number of elements in its front. */
static size_t divide_part(const struct division *d, int r)
{
    _Alignas(16) char block[d->range_bytes];
    struct uat_range *range = (struct uat_range *)block;
    size_t from = uat_parts_edge(&d->parts, r);
    memcpy(block, d->range, d->range_bytes);
    range->base = d->parts.array + from * d->parts.size;
    range->count = uat_parts_edge(&d->parts, r + 1) - from;
    if (!uat_range_is_near(range))
        return uat_partition(range);
    uat_sort_pass_t pass = {0, 0, range->count};
    uat_sort_pivot_t pivot = uat_range_pivot(range);
    size_t bytes = range->count * d->parts.size;
    char *home = range->base, *elements = uat_global_checkout(home, bytes, UAT_READ_WRITE);
    range->kernel.partition(elements, &pass, range->count > 2 ? range->count : 2, &pivot);
    uat_global_checkin(home, bytes, UAT_READ_WRITE);
    return pass.less;
}

/* Copy part r to the twin, divided. Returns the number of elements in its front, or NO_MEMORY. */
static size_t divide_to_twin(const struct division *d, int r)
{
    size_t size = d->parts.size, from = uat_parts_edge(&d->parts, r), count = uat_parts_edge(&d->parts, r + 1) - from;
    size_t room = (count * size + 63) / 64 * 64;
    char *elements = aligned_alloc(64, 2 * room + 64);
    if (!elements)
        return NO_MEMORY;
    uat_global_get(elements, d->parts.array + from * size, count * size);
    size_t front = d->divide(elements, elements + room, count, d->range);
    if (!uat_failed())
        uat_twin_put(&d->twin, &d->parts, from, elements, count);
    free(elements);
    return front;
}

static void divide_parts(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct division *d = arg;
    for (int r = (int)begin; r < (int)end && !uat_failed(); r++)
        ((size_t *)partial)[r] = d->divide ? divide_to_twin(d, r) : divide_part(d, r);
}

/* Elements of a part that are on the wrong side of the whole front's end. */
struct misplaced {
    size_t from, to;
};

static struct misplaced not_of_front(const struct division *d, int r)
{
    size_t from = uat_parts_edge(&d->parts, r) + d->counts[r], to = uat_parts_edge(&d->parts, r + 1);
    to = to < d->front ? to : d->front;
    return (struct misplaced){from < to ? from : to, to};
}

static struct misplaced of_front(const struct division *d, int r)
{
    size_t from = uat_parts_edge(&d->parts, r), to = from + d->counts[r];
    from = from > d->front ? from : d->front;
    return (struct misplaced){from < to ? from : to, to};
}

/* Exchange the misplaced elements before the front's end, of parts begin to end - 1: the k-th of them all for the k-th
 * of those after it. */
static void exchange_parts(int64_t begin, int64_t end, const void *arg)
{
    const struct division *d = arg;
    const size_t size = d->parts.size;
    for (int r = (int)begin; r < (int)end; r++) {
        size_t skip = 0;
        for (int before = 0; before < r; before++)
            skip += not_of_front(d, before).to - not_of_front(d, before).from;
        struct misplaced low = not_of_front(d, r);
        for (int other = 0; other < d->parts.parts && low.from < low.to; other++) {
            struct misplaced high = of_front(d, other);
            size_t n = high.to - high.from, left = low.to - low.from;
            if (n <= skip) {
                skip -= n;
                continue;
            }
            n = n - skip < left ? n - skip : left;
            struct uat_exchange e = {d->parts.array + low.from * size, d->parts.array + (high.from + skip) * size,
                                     size};
            uat_exchange_some(0, (int64_t)n, &e);
            low.from += n;
            skip = 0;
        }
    }
}

/* The place in the twin of the element that belongs to place `to`. Sets *run to the number of elements that follow in
 * both, itself included; at most what it was. */
static size_t source_of(const struct division *d, size_t to, size_t *run)
{
    bool back = to >= d->front;
    size_t skip = back ? to - d->front : to;
    for (int r = 0;; r++) {
        size_t from = uat_parts_edge(&d->parts, r), all = uat_parts_edge(&d->parts, r + 1) - from;
        size_t n = back ? all - d->counts[r] : d->counts[r];
        if (skip < n) {
            *run = *run < n - skip ? *run : n - skip;
            return from + (back ? d->counts[r] : 0) + skip;
        }
        skip -= n;
    }
}

/* Copy the elements of parts begin to end - 1 from the twin. */
static void unite_parts(int64_t begin, int64_t end, const void *arg)
{
    const struct division *d = arg;
    size_t to = uat_parts_edge(&d->parts, (int)begin), last = uat_parts_edge(&d->parts, (int)end);
    for (size_t n; to < last; to += n) {
        n = last - to;
        size_t from = source_of(d, to, &n);
        uat_twin_move(&d->twin, &d->parts, to, from, n);
    }
}

/* Divide all parts, and count. Then move the elements, if all parts had memory. Returns whether they had. */
static bool divide_at_homes(struct division *d, size_t bytes, uat_for_fn *move)
{
    static const size_t zeros[UAT_COUNTED_MAX];
    const uat_reduction_t reduction = {divide_parts, add_counts, zeros, (size_t)d->parts.parts * sizeof(size_t)};
    uat_reduce(0, d->parts.parts, 1, &reduction, d, bytes, d->counts);
    for (int r = 0; r < d->parts.parts; r++) {
        if (d->counts[r] == NO_MEMORY)
            return false;
        d->front += d->counts[r];
    }
    if (!uat_failed())
        uat_for(0, d->parts.parts, 1, move, d, bytes);
    return true;
}

/* uat_partition() of a range between the homes of its elements, with *front as its result. Returns false if the range
 * should not be divided so; nothing has happened then. Runs as uat_partition() does. */
static bool partition_at_homes(const struct uat_range *range, size_t *front)
{
    size_t bytes = sizeof(struct division) + range->bytes;
    _Alignas(16) char block[bytes];
    struct division *d = (struct division *)block;
    struct uat_parts parts;
    if (!uat_parts_make(&parts, range->base, range->kernel.size, range->count, range->selects) ||
        parts.parts > UAT_COUNTED_MAX)
        return false;
    *d = (struct division){.parts = parts, .range_bytes = range->bytes};
    memcpy(d->range, range, range->bytes);
    divide_at_homes(d, bytes, exchange_parts);
    *front = d->front;
    return true;
}

int uat_divide_at_homes(uat_divide_fn *divide, void *array, size_t size, size_t count, size_t *front, const void *arg,
                        size_t arg_size)
{
    size_t bytes = sizeof(struct division) + arg_size;
    _Alignas(16) char block[bytes];
    struct division *d = (struct division *)block;
    *d = (struct division){.divide = divide};
    if (!uat_parts_make(&d->parts, array, size, count, false) || d->parts.parts > UAT_COUNTED_MAX ||
        !uat_twin_make(&d->twin, &d->parts, size, NULL))
        return 0;
    memcpy(d->range, arg, arg_size);
    bool divided = divide_at_homes(d, bytes, unite_parts);
    uat_twin_free(&d->twin, NULL);
    *front = d->front;
    return divided || uat_failed();
}

size_t uat_partition_all(struct uat_range *range)
{
    size_t front;
    return partition_at_homes(range, &front) ? front : uat_partition(range);
}

static size_t partition_whole(struct uat_range *range, size_t place)
{
    (void)place;
    return uat_partition_all(range);
}

size_t uat_partition_by(const uat_sort_kernel_t *kernel, void *array, size_t count, const void *arg, size_t arg_size)
{
    return uat_with_range(partition_whole, kernel, array, count, 0, arg, arg_size);
}
