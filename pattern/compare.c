/* SPDX-License-Identifier: MIT */
/* uat_sort(): the kernel of a comparison that is called. */
#include <stdlib.h>
#include <string.h>

#include "include/uat/pattern.h"

enum { ALIGNMENT = 16 };

/* The argument of the sort. Behind it follows the user's. */
struct comparison {
    uat_compare_fn *compare;
    size_t size; /* bytes of an element */
    _Alignas(ALIGNMENT) char arg[];
};

static void *user_arg(const struct comparison *c)
{
    return (void *)(uintptr_t)c->arg; /* qsort_r() has no const there */
}

static void sort(void *elements, size_t count, const void *arg)
{
    const struct comparison *c = arg;
    qsort_r(elements, count, c->size, c->compare, user_arg(c));
}

static int belongs(const void *element, const struct uat_sort_pivot *pivot)
{
    const struct comparison *c = pivot->arg;
    int order = c->compare(element, pivot->value, user_arg(c));
    return pivot->equal ? order <= 0 : order < 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Elements of one word: one pass from left to right (Lomuto's). Each step writes both words, exchanged or as they were,
 * so that no branch depends on the order.
 */
#define PARTITION(name, word)                                                                                          \
    static void name(void *elements, struct uat_sort_pass *pass, size_t most, const struct uat_sort_pivot *pivot)      \
    {                                                                                                                  \
        char *base = elements;                                                                                         \
        for (size_t to = pass->from + smaller(most, pass->to - pass->from); pass->from < to; pass->from++) {           \
            char *here = base + pass->from * sizeof(word), *front = base + pass->less * sizeof(word);                  \
            word x, y;                                                                                                 \
            int first = belongs(here, pivot);                                                                          \
            memcpy(&x, here, sizeof(x));                                                                               \
            memcpy(&y, front, sizeof(y));                                                                              \
            word stays = first ? y : x, goes = first ? x : y;                                                          \
            memcpy(here, &stays, sizeof(stays));                                                                       \
            memcpy(front, &goes, sizeof(goes));                                                                        \
            pass->less += (size_t)first;                                                                               \
        }                                                                                                              \
    }
PARTITION(partition_4, uint32_t)
PARTITION(partition_8, uint64_t)

static void exchange(char *a, char *b, size_t size)
{
    char kept[size];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

/*
 * Other elements: Hoare's pass from both ends, which moves half as many. Where elements behind the front are known not
 * to belong to it, those from the end that do take their places first. All places are within the pass, whatever a
 * comparison says twice.
 */
static void partition(void *elements, struct uat_sort_pass *pass, size_t most, const struct uat_sort_pivot *pivot)
{
    size_t size = ((const struct comparison *)pivot->arg)->size, i = pass->from, j = pass->to;
    int all = j - i <= most;
    size_t last = all ? j : i + most / 2, least = all ? i : j - most / 2; /* go no further */
    char *base = elements;
    while (pass->less < i && j > least)
        if (belongs(base + --j * size, pivot))
            exchange(base + pass->less++ * size, base + j * size, size);
    while (pass->less == i) {
        while (i < smaller(last, j) && belongs(base + i * size, pivot))
            pass->less = ++i;
        if (i >= smaller(last, j))
            break;
        while (j > least && j > i + 1 && !belongs(base + (j - 1) * size, pivot))
            j--;
        if (j == i + 1) /* element i is known */
            j = i;
        if (j <= i || j <= least)
            break;
        exchange(base + i * size, base + --j * size, size);
        pass->less = ++i;
    }
    pass->from = i;
    pass->to = j;
}

void uat_sort(void *array, size_t count, size_t size, uat_compare_fn *compare, const void *arg, size_t arg_size)
{
    struct uat_sort_kernel kernel = {size, sort, size == 4 ? partition_4 : size == 8 ? partition_8 : partition};
    if (arg_size > PTRDIFF_MAX) /* no object is so large: with sanitizers gcc warns that the sum below may be 0 */
        __builtin_unreachable();
    _Alignas(ALIGNMENT) char block[sizeof(struct comparison) + arg_size];
    struct comparison *c = (struct comparison *)block;
    *c = (struct comparison){.compare = compare, .size = size};
    if (arg_size > 0)
        memcpy(c->arg, arg, arg_size);
    uat_sort_by(&kernel, array, count, c, sizeof(block));
}
