/* SPDX-License-Identifier: MIT */
/* uat_sort(): the kernel that compares two elements by calling the user's function. */
#include <stdlib.h>
#include <string.h>

#include "pattern/runs.h"

enum {
    ALIGNMENT = 16,
    BLOCK = 128,  /* number of elements to compare before any of them moves */
    INSERTED = 8, /* insertion sort sorts up to this number of elements */
};

/* The argument of the sort. The user's argument follows it. */
struct comparison {
    uat_compare_fn *compare;
    size_t size; /* bytes of an element */
    _Alignas(ALIGNMENT) char arg[];
};

static void *user_arg(const struct comparison *c)
{
    return (void *)(uintptr_t)c->arg; /* qsort_r() takes a pointer without const */
}

static int less(const void *a, const void *b, const void *arg)
{
    const struct comparison *c = arg;
    return c->compare(a, b, user_arg(c)) < 0;
}

static int belongs(const void *element, const uat_sort_pivot_t *pivot)
{
    return pivot->equal ? !less(pivot->value, element, pivot->arg) : less(element, pivot->value, pivot->arg);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline void exchange_words(char *a, char *b, size_t size)
{
    char kept[sizeof(uint64_t)];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void exchange_any(char *a, char *b, size_t size)
{
    char kept[size];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void exchange(char *a, char *b, size_t size)
{
    if (size == sizeof(uint32_t)) /* with a constant size, the compiler generates a plain exchange */
        exchange_words(a, b, sizeof(uint32_t));
    else if (size == sizeof(uint64_t))
        exchange_words(a, b, sizeof(uint64_t));
    else
        exchange_any(a, b, size);
}

/* Elements of [begin, end) that are on the wrong side of the pivot. at[] holds the elements' offsets from `begin`, in
 * rising order. */
struct misplaced {
    size_t begin, end, next, count;
    uint16_t at[BLOCK];
};

static int is_empty(const struct misplaced *m)
{
    return m->next == m->count;
}

/* Find elements of [begin, end). If front = 1, find those that belong to the front; if front = 0, those that do not
 * belong to the front. No branch depends on an element. */
static void find(struct misplaced *m, const char *base, size_t begin, size_t end, int front,
                 const uat_sort_pivot_t *pivot)
{
    size_t size = ((const struct comparison *)pivot->arg)->size, count = 0;
    for (size_t k = 0; k < end - begin; k++) {
        m->at[count] = (uint16_t)k;
        count += belongs(base + (begin + k) * size, pivot) == front;
    }
    m->begin = begin;
    m->end = end;
    m->next = 0;
    m->count = count;
}

static char *take(struct misplaced *m, char *base, size_t size)
{
    return base + (m->begin + m->at[m->next++]) * size;
}

/* Move the remaining misplaced elements to the end of their block. Returns the index of the first moved element. */
static size_t move_to_end(struct misplaced *m, char *base, size_t size)
{
    size_t place = m->end;
    while (!is_empty(m))
        exchange(base + (m->begin + m->at[--m->count]) * size, base + --place * size, size);
    return place;
}

/* Move the remaining misplaced elements to the start of their block. Returns the index after the last moved element. */
static size_t move_to_begin(struct misplaced *m, char *base, size_t size)
{
    size_t place = m->begin;
    while (!is_empty(m))
        exchange(take(m, base, size), base + place++ * size, size);
    return place;
}

/* Elements [less, from) do not belong to the front. Exchange them with elements from the end of the range that do. */
static void fill_front(char *base, uat_sort_pass_t *pass, size_t least, const uat_sort_pivot_t *pivot)
{
    size_t size = ((const struct comparison *)pivot->arg)->size;
    struct misplaced right;
    while (pass->less < pass->from && pass->to > least) {
        size_t n = smaller(BLOCK, smaller(pass->from - pass->less, pass->to - least));
        find(&right, base, pass->to - n, pass->to, 1, pivot);
        while (!is_empty(&right))
            exchange(base + pass->less++ * size, take(&right, base, size), size);
        pass->to -= n;
    }
}

/*
 * Hoare's pass from both ends, in blocks (Edelkamp and Weiss, "BlockQuicksort", 2016). The pass never accesses an
 * element outside its range, even if the comparison is inconsistent.
 */
static void partition(void *elements, uat_sort_pass_t *pass, size_t most, const uat_sort_pivot_t *pivot)
{
    size_t size = ((const struct comparison *)pivot->arg)->size;
    int all = pass->to - pass->from <= most;
    size_t last = all ? pass->to : pass->from + most / 2, least = all ? pass->from : pass->to - most / 2;
    struct misplaced left, right;
    fill_front(elements, pass, least, pivot);
    if (pass->less < pass->from)
        return;
    find(&left, elements, pass->from, pass->from, 0, pivot);
    find(&right, elements, pass->to, pass->to, 1, pivot);
    for (;;) {
        size_t l = left.end, r = right.begin, low = smaller(last, r), high = least > l ? least : l;
        if (is_empty(&left) && l < low)
            find(&left, elements, l, l + smaller(BLOCK, low - l), 0, pivot);
        else if (is_empty(&right) && r > high)
            find(&right, elements, r - smaller(BLOCK, r - high), r, 1, pivot);
        else if (is_empty(&left) || is_empty(&right))
            break;
        while (!is_empty(&left) && !is_empty(&right))
            exchange(take(&left, elements, size), take(&right, elements, size), size);
    }
    pass->from = left.end;
    pass->less = move_to_end(&left, elements, size);
    pass->to = move_to_begin(&right, elements, size);
    if (pass->less == right.begin) /* no element is between the blocks, so the moved elements are in front */
        pass->less = pass->from = pass->to;
}

/* Insertion sort, for a few elements. */
static void insert_all(char *p, size_t count, const struct comparison *c)
{
    size_t size = c->size;
    char kept[size];
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        while (to > 0 && less(p + i * size, p + (to - 1) * size, c))
            to--;
        if (to == i)
            continue;
        memcpy(kept, p + i * size, size);
        memmove(p + (to + 1) * size, p + to * size, (i - to) * size);
        memcpy(p + to * size, kept, size);
    }
}

/* Let the element at `at` sink to its place in a heap whose root is the greatest element. */
static void sink(char *p, size_t at, size_t count, const struct comparison *c)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(p + child * c->size, p + (child + 1) * c->size, c))
            child++;
        if (!less(p + at * c->size, p + child * c->size, c))
            return;
        exchange(p + at * c->size, p + child * c->size, c->size);
    }
}

/* Heapsort (Williams 1964). It needs no extra memory. */
static void sort_heap(char *p, size_t count, const struct comparison *c)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(p, i, count, c);
    for (size_t n = count; n-- > 1;) {
        exchange(p, p + n * c->size, c->size);
        sink(p, 0, n, c);
    }
}

/* Merge sort. Two halves that are already in order need no merge. scratch: space for half of the elements. */
static void sort_halves(char *p, size_t count, char *scratch, const struct comparison *c)
{
    size_t half = count / 2, size = c->size;
    char *high = p + half * size;
    if (count <= INSERTED) {
        insert_all(p, count, c);
        return;
    }
    sort_halves(p, half, scratch, c);
    sort_halves(high, count - half, scratch, c);
    if (!less(high, high - size, c))
        return;
    memcpy(scratch, p, half * size);
    uat_sort_merge(&(uat_sort_kernel_t){.size = size, .less = less}, c, p, scratch, half, high, count - half);
}

static int sort(void *elements, size_t count, const void *arg)
{
    const struct comparison *c = arg;
    char *scratch = malloc(count / 2 * c->size + 1);
    if (scratch)
        sort_halves(elements, count, scratch, c);
    else
        sort_heap(elements, count, c);
    free(scratch);
    return 1;
}

void uat_sort(void *array, size_t count, size_t size, uat_compare_fn *compare, const void *arg, size_t arg_size)
{
    uat_sort_kernel_t kernel = {size, sort, partition, less};
    if (arg_size > PTRDIFF_MAX) /* impossible, but without this test gcc with sanitizers warns that the sum may be 0 */
        __builtin_unreachable();
    _Alignas(ALIGNMENT) char block[sizeof(struct comparison) + arg_size];
    struct comparison *c = (struct comparison *)block;
    *c = (struct comparison){.compare = compare, .size = size};
    if (arg_size > 0)
        memcpy(c->arg, arg, arg_size);
    uat_sort_by(&kernel, array, count, c, sizeof(block));
}
