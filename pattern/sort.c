/* SPDX-License-Identifier: MIT */
/*
 * uat_sort_by(): quicksort (Hoare 1962) in place. uat_select_by(): quickselect (Hoare 1961). A range that is longer
 * than a leaf is partitioned about the median of a sample. A child sorts the first part, and the continuation, which
 * thieves may take, sorts the second part. Partitions themselves split on demand (partition.c), so all workers take
 * part from the first pass on. On several hosts, homes_sort.c sorts most arrays. Process-private memory is sorted
 * without tasks: by a merge of runs, or else by the kernel.
 *
 * A comparison that throws makes its task fail (failed.h). Each function then returns soon, without another comparison,
 * and what it returns is not used. The elements are only ever exchanged or merged, so the array keeps all of them.
 */
#include "include/uat/transfer.h"
#include "pattern/failed.h"
#include "pattern/partition.h"
#include "pattern/runs.h"

#include <string.h>

enum {
    LEAF_BYTES = 1 << 16, /* bytes of a near leaf, which the kernel sorts in about half a millisecond */
    SAMPLES_MIN = 3,      /* elements of the smallest sample */
    SAMPLES_MAX = 63,     /* elements of the largest sample; 3 and 63 are 2^n - 1 */
    SAMPLE_BYTES = 2048,  /* about this many bytes of samples on the stack; 3 large elements may take more */
    SAMPLED = 1 << 9,     /* double the sample while the range has more elements than this per sample */
    UNEVEN = 8,           /* if the front is below 1/UNEVEN of the range, the pivot probably occurs often */
    MERGERS = 4           /* with more workers than this, sorting is faster than merging runs on one worker */
};

/* The number of elements in a range's sample. */
static size_t samples_of(const struct uat_range *range)
{
    size_t n = SAMPLES_MIN;
    while (n < SAMPLES_MAX && 2 * n * range->kernel.size <= SAMPLE_BYTES && range->count / n > SAMPLED)
        n = 2 * n + 1;
    return n;
}

/* The place of sample i of n: a random place in the i-th of n equal parts. So no regular pattern in the elements
 * affects all samples. */
static size_t sampled_place(size_t count, size_t i, size_t n)
{
    uint64_t x = (count + i) * UINT64_C(0x9e3779b97f4a7c15), part = count / n;
    return i * part + (x >> 32) % part;
}

/* Make the median of a sample the range's pivot. The range has at least SAMPLES_MIN elements. */
static void choose_pivot(struct uat_range *range)
{
    size_t n = samples_of(range), size = range->kernel.size;
    _Alignas(64) char sample[n * size];
    uat_global_transfer_t transfers[n];
    for (size_t i = 0; i < n; i++)
        uat_global_get_begin(&transfers[i], sample + i * size, uat_range_at(range, sampled_place(range->count, i, n)),
                             size);
    for (size_t i = 0; i < n; i++)
        uat_global_transfer_wait(&transfers[i]);
    range->kernel.sort(sample, n, range->tail + range->arg_offset);
    memcpy(range->tail, sample + n / 2 * size, size);
}

/* The parts of a range. Elements [0, less) are below the pivot. Elements [from, count) are above the pivot; if `less`
 * is a large part of the range, some of them may equal the pivot. The elements in between equal the pivot. */
struct parts {
    size_t less, from;
};

/* Partition elements [begin, count) of the range. Returns the number of elements in the front: those less than the
 * pivot. With `equal`, these are the elements that are not greater than the pivot. */
static size_t front_of(struct uat_range *range, size_t begin, int equal)
{
    struct uat_range whole = *range; /* a copy of the head, without the tail */
    range->base = uat_range_at(&whole, begin);
    range->count = whole.count - begin;
    range->equal = equal;
    range->known = 0;
    size_t front = uat_partition_all(range);
    range->base = whole.base;
    range->count = whole.count;
    return front;
}

/*
 * If few elements are below the pivot, move the elements equal to the pivot next to them. These elements are done. So a
 * range of equal elements is done after two passes. A comparison that contradicts itself may report the pivot as less
 * than itself or as unequal to itself. In that case all elements may seem to be below the pivot. Even then each part
 * has fewer elements than the range, because some elements count as done. With the comparison "less or equal", the
 * greatest elements count as done. With "always less", all elements count as done.
 */
static struct parts divide(struct uat_range *range)
{
    size_t count = range->count;
    choose_pivot(range);
    size_t less = front_of(range, 0, 0);
    if (less == count) {
        size_t front = front_of(range, 0, 1);
        return (struct parts){front < count ? front : 0, count};
    }
    if (less >= count / UNEVEN && less > 0)
        return (struct parts){less, less};
    size_t equal = front_of(range, less, 1);
    return (struct parts){less, equal > 0 ? less + equal : count};
}

static void sort_leaf(const struct uat_range *range)
{
    size_t bytes = range->count * range->kernel.size;
    if (range->count < 2)
        return;
    uat_sort_here(&range->kernel, uat_global_checkout(range->base, bytes, UAT_READ_WRITE), range->count,
                  range->tail + range->arg_offset);
    uat_global_checkin(range->base, bytes, UAT_READ_WRITE);
}

static int is_leaf(const struct uat_range *range)
{
    size_t leaf = uat_range_window(range->kernel.size);
    if (range->count > SAMPLES_MIN && uat_range_is_near(range))
        leaf = LEAF_BYTES / range->kernel.size;
    return range->count <= (leaf > SAMPLES_MIN ? leaf : SAMPLES_MIN);
}

static void sort_task(void *arg, void *result);

/* Set `range` to elements [begin, end) of the whole. */
static void take_part(struct uat_range *range, const struct uat_range *whole, size_t begin, size_t end)
{
    range->base = uat_range_at(whole, begin);
    range->count = end - begin;
}

/* If one part is a leaf and far smaller than the other, sort this part and set the range to the other part. So the
 * recursion keeps no frame. Returns whether it sorted a part, and no comparison failed. */
static int sort_uneven(struct uat_range *range, const struct uat_range *whole, struct parts parts)
{
    size_t high = whole->count - parts.from;
    int low_is_small = parts.less < high / UNEVEN;
    if (!low_is_small && high >= parts.less / UNEVEN)
        return 0;
    if (low_is_small)
        take_part(range, whole, 0, parts.less);
    else
        take_part(range, whole, parts.from, whole->count);
    if (!is_leaf(range))
        return 0;
    sort_leaf(range);
    if (low_is_small)
        take_part(range, whole, parts.from, whole->count);
    else
        take_part(range, whole, 0, parts.less);
    return !uat_failed();
}

static void sort_range(struct uat_range *range)
{
    struct uat_range whole; /* a copy of the head, without the tail */
    struct parts parts;
    uat_task_t task;
    do {
        if (is_leaf(range)) {
            sort_leaf(range);
            return;
        }
        whole = *range;
        parts = divide(range);
    } while (sort_uneven(range, &whole, parts));
    if (uat_failed())
        return;
    take_part(range, &whole, 0, parts.less);
    uat_spawn(&task, sort_task, range, range->bytes, NULL, 0);
    take_part(range, &whole, parts.from, whole.count);
    if (!uat_failed())
        sort_range(range);
    uat_pattern_join(&task, true);
}

/* Sort the range by a merge if it is near and consists of a few runs. */
static int merge_range(const struct uat_range *range)
{
    size_t bytes = range->count * range->kernel.size;
    if (uat_size() > MERGERS || !uat_range_is_near(range))
        return 0;
    void *place = uat_global_checkout(range->base, bytes, UAT_READ_WRITE);
    int merged = uat_sort_runs(&range->kernel, place, range->count, range->tail + range->arg_offset);
    uat_global_checkin(range->base, bytes, UAT_READ_WRITE);
    return merged;
}

static void sort_task(void *arg, void *result)
{
    (void)result;
    sort_range(arg);
}

/* The body of uat_sort_by(). */
static size_t sort_whole(struct uat_range *range, size_t place)
{
    (void)place;
    if (uat_global_home(range->base) < 0)
        uat_sort_here(&range->kernel, range->base, range->count, range->tail + range->arg_offset);
    else if (!merge_range(range) && !uat_failed())
        sort_range(range);
    return 0;
}

void uat_sort_by(const uat_sort_kernel_t *kernel, void *array, size_t count, const void *arg, size_t arg_size)
{
    if (count >= 2 && kernel->size > 0 &&
        !uat_sort_at_homes(kernel, NULL, array, kernel->size, count, NULL, arg, arg_size))
        uat_with_range(sort_whole, kernel, array, count, 0, arg, arg_size);
}

/* The body of uat_select_by(): each partition leaves the part that contains the place. */
static size_t select_place(struct uat_range *range, size_t place)
{
    range->selects = true;
    while (!is_leaf(range)) {
        struct uat_range whole = *range; /* a copy of the head, without the tail */
        struct parts parts = divide(range);
        if (uat_failed() || (place >= parts.less && place < parts.from))
            return 0;
        if (place < parts.less) {
            take_part(range, &whole, 0, parts.less);
        } else {
            take_part(range, &whole, parts.from, whole.count);
            place -= parts.from;
        }
    }
    sort_leaf(range);
    return 0;
}

void uat_select_by(const uat_sort_kernel_t *kernel, void *array, size_t count, size_t place, const void *arg,
                   size_t arg_size)
{
    uat_with_range(select_place, kernel, array, count, place, arg, arg_size);
}
