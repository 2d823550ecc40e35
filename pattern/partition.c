/* SPDX-License-Identifier: MIT */
/*
 * A partition in place that splits on demand. A worker partitions the range in short steps. When thieves have emptied
 * its deque, the worker offers a part of the remaining elements. If no thief steals from a range, the range takes one
 * pass, however often the worker offered parts.
 *
 * In near memory the worker continues at both ends and offers the middle. So the front of the ends and the front of the
 * middle are adjacent, or nearly so: some elements may remain at one end when the other end is done.
 *
 * In far memory the worker offers the second half. Both halves become { front, rest }, and one exchange joins the
 * fronts. The exchange swaps elements of the first half's rest with elements of the second half's front. It swaps as
 * many elements as the shorter of these two has.
 */
#include "pattern/partition.h"

#include <string.h>

#include "pattern/failed.h"

enum {
    STEP_BYTES = 1 << 18,  /* near memory: bytes to partition between two looks at the deque; some 50 us of work */
    SPLIT_BYTES = 1 << 17, /* a range of fewer bytes does not split */
    EXCHANGE_BYTES = 512   /* bytes copied through the stack at a time */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Exchange two ranges of this process's memory. */
static void exchange_here(char *a, char *b, size_t bytes)
{
    char kept[EXCHANGE_BYTES];
    for (size_t done = 0; done < bytes; done += sizeof(kept)) {
        size_t n = smaller(bytes - done, sizeof(kept));
        memcpy(kept, a + done, n);
        memcpy(a + done, b + done, n);
        memcpy(b + done, kept, n);
    }
}

void uat_exchange_some(int64_t begin, int64_t end, const void *arg)
{
    const struct uat_exchange *e = arg;
    for (size_t i = (size_t)begin, n; i < (size_t)end; i += n) {
        n = smaller((size_t)end - i, uat_range_window(e->size));
        char *a = e->a + i * e->size, *b = e->b + i * e->size;
        size_t bytes = n * e->size;
        char *p = uat_global_checkout(a, bytes, UAT_READ_WRITE), *q = uat_global_checkout(b, bytes, UAT_READ_WRITE);
        exchange_here(p, q, bytes);
        uat_global_checkin(b, bytes, UAT_READ_WRITE);
        uat_global_checkin(a, bytes, UAT_READ_WRITE);
    }
}

/*
 * Join two fronts. On entry, elements [0, less) and [from, from + more) belong to the front. All other elements do not.
 * Returns the number of elements in the joined front.
 */
static size_t join_fronts(const struct uat_range *range, size_t less, size_t from, size_t more)
{
    size_t count = smaller(from - less, more), size = range->kernel.size;
    struct uat_exchange e = {uat_range_at(range, less), uat_range_at(range, from + more - count), size};
    if (count * size > SPLIT_BYTES)
        uat_for(0, (int64_t)count, (int64_t)uat_range_window(size), uat_exchange_some, &e, sizeof(e));
    else if (count > 0)
        uat_exchange_some(0, (int64_t)count, &e);
    return less + more;
}

/* Partition about `most` of the remaining elements. All of these are near. */
static void step_near(const struct uat_range *range, uat_sort_pass_t *pass, size_t most)
{
    uat_sort_pivot_t pivot = uat_range_pivot(range);
    uat_sort_pass_t here = {0, pass->from - pass->less, pass->to - pass->less};
    size_t bytes = here.to * range->kernel.size;
    char *home = uat_range_at(range, pass->less);
    range->kernel.partition(uat_global_checkout(home, bytes, UAT_READ_WRITE), &here, most > 2 ? most : 2, &pivot);
    uat_global_checkin(home, bytes, UAT_READ_WRITE);
    *pass = (uat_sort_pass_t){pass->less + here.less, pass->less + here.from, pass->less + here.to};
}

/* Partition the next `count` elements separately. Join their front to the previous front by an exchange. */
static void step_far(const struct uat_range *range, uat_sort_pass_t *pass, size_t count)
{
    uat_sort_pivot_t pivot = uat_range_pivot(range);
    uat_sort_pass_t here = {0, 0, count};
    size_t bytes = count * range->kernel.size;
    char *home = uat_range_at(range, pass->from);
    range->kernel.partition(uat_global_checkout(home, bytes, UAT_READ_WRITE), &here, count > 2 ? count : 2, &pivot);
    uat_global_checkin(home, bytes, UAT_READ_WRITE);
    if (uat_failed())
        return;
    pass->less = join_fronts(range, pass->less, pass->from, here.less);
    pass->from += count;
}

static void partition_task(void *arg, void *result)
{
    *(size_t *)result = uat_partition(arg);
}

/* Partition elements [begin, end) of the whole separately. Returns the number of these elements that belong to the
 * front. */
static size_t partition_part(struct uat_range *range, const struct uat_range *whole, size_t begin, size_t end,
                             size_t known)
{
    range->base = uat_range_at(whole, begin);
    range->count = end - begin;
    range->known = known;
    return uat_partition(range);
}

/*
 * Offer half of the remaining elements. A child continues with the first half. If no thief steals the continuation
 * before the child ends, the pass continues after that half. If a thief steals it, the thief partitions the second half
 * separately, one exchange joins the fronts, and the pass is done.
 */
static uat_sort_pass_t split_far(struct uat_range *range, uat_sort_pass_t pass)
{
    struct uat_range whole = *range; /* a copy of the head, without the tail */
    size_t middle = pass.from + (pass.to - pass.from) / 2, low, high;
    uat_task_t task;
    range->base = uat_range_at(&whole, pass.less);
    range->count = middle - pass.less;
    range->known = pass.from - pass.less;
    uat_spawn(&task, partition_task, range, range->bytes, &low, sizeof(low));
    if (task.record == 0) {
        uat_join(&task);
        *range = whole;
        return (uat_sort_pass_t){pass.less + low, middle, pass.to};
    }
    high = partition_part(range, &whole, middle, pass.to, 0);
    uat_pattern_join(&task, true);
    *range = whole;
    if (uat_failed())
        return pass;
    return (uat_sort_pass_t){join_fronts(&whole, pass.less + low, middle, high), pass.to, pass.to};
}

/*
 * Partition from both ends until one end's share is done; a share has at most range->share elements. If a thief steals
 * the continuation, it handles the elements between the two shares. A call of the kernel takes at most half of its
 * `most` elements from either end.
 */
static void ends_task(void *arg, void *result)
{
    struct uat_range *range = arg;
    uat_sort_pivot_t pivot = uat_range_pivot(range);
    uat_sort_pass_t pass = {0, range->known, range->count};
    size_t low = range->known + range->share, high = range->count - range->share, size = range->kernel.size,
           step = STEP_BYTES / size;
    char *home = range->base, *back = uat_range_at(range, high);
    uat_global_checkout(home, low * size, UAT_READ_WRITE); /* both ranges are near, so the kernel uses them in place */
    uat_global_checkout(back, range->share * size, UAT_READ_WRITE);
    while (pass.from < low && pass.to > high && !uat_failed()) {
        size_t most = 2 * smaller(low - pass.from, pass.to - high);
        range->kernel.partition(home, &pass, most < step || step < 2 ? most : step, &pivot);
    }
    uat_global_checkin(back, range->share * size, UAT_READ_WRITE);
    uat_global_checkin(home, low * size, UAT_READ_WRITE);
    *(uat_sort_pass_t *)result = pass;
}

/*
 * Offer the middle of the remaining elements. All of these are near. A child continues at both ends. If no thief steals
 * the continuation before the child ends, the pass continues where the child stopped. If a thief steals it, the thief
 * partitions the middle, and then the elements that the child has left at one end. The fronts are then adjacent or
 * nearly so, and the pass is done.
 */
static uat_sort_pass_t split_near(struct uat_range *range, uat_sort_pass_t pass)
{
    struct uat_range whole = *range; /* a copy of the head, without the tail */
    size_t share = (pass.to - pass.from) / 2 / ((size_t)uat_size() + 1), less = pass.less, middle, from, to;
    uat_sort_pass_t ends;
    uat_task_t task;
    share = share > 0 ? share : 1;
    from = pass.from + share;
    to = pass.to - share;
    range->base = uat_range_at(&whole, less);
    range->count = pass.to - less;
    range->known = pass.from - less;
    range->share = share;
    uat_spawn(&task, ends_task, range, range->bytes, &ends, sizeof(ends));
    if (task.record == 0) {
        uat_join(&task);
        *range = whole;
        return (uat_sort_pass_t){less + ends.less, less + ends.from, less + ends.to};
    }
    middle = partition_part(range, &whole, from, to, 0);
    uat_pattern_join(&task, true);
    if (uat_failed()) {
        *range = whole;
        return pass;
    }
    size_t low = partition_part(range, &whole, less + ends.less, from, ends.from - ends.less),
           high = partition_part(range, &whole, to, less + ends.to, 0);
    *range = whole;
    if (uat_failed())
        return pass;
    less = join_fronts(&whole, less + ends.less + low, from, middle);
    return (uat_sort_pass_t){join_fronts(&whole, less, to, high), pass.to, pass.to};
}

size_t uat_partition(struct uat_range *range)
{
    size_t size = range->kernel.size;
    uat_sort_pass_t pass = {0, range->known, range->count};
    while (pass.from < pass.to && !uat_failed()) {
        size_t left = pass.to - pass.from, window = uat_range_window(size);
        int near = uat_range_is_near(range); /* valid until the next spawn: there the task may migrate */
        if (left * size > SPLIT_BYTES && left > 2 && uat_work_wanted())
            pass = near ? split_near(range, pass) : split_far(range, pass);
        else if (near)
            step_near(range, &pass, STEP_BYTES / size > window ? STEP_BYTES / size : window);
        else
            step_far(range, &pass, smaller(window, left));
    }
    return pass.less;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

size_t uat_with_range(uat_range_fn *fn, const uat_sort_kernel_t *kernel, void *array, size_t count, size_t place,
                      const void *arg, size_t arg_size)
{
    size_t arg_offset = round_up(kernel->size), bytes = sizeof(struct uat_range) + arg_offset + round_up(arg_size);
    _Alignas(64) char block[bytes];
    struct uat_range *range = (struct uat_range *)block;
    *range =
        (struct uat_range){.base = array, .count = count, .kernel = *kernel, .arg_offset = arg_offset, .bytes = bytes};
    if (arg_size > 0)
        memcpy(range->tail + arg_offset, arg, arg_size);
    return fn(range, place);
}
