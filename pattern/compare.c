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

/*
 * One pass from left to right (Lomuto's) over elements of one word. Each step writes both words, exchanged or as they
 * were, so that no branch depends on the order.
 */
#define PARTITION(name, word)                                                                                          \
    static size_t name(void *elements, size_t less, size_t from, size_t to, const struct uat_sort_pivot *pivot)        \
    {                                                                                                                  \
        char *base = elements;                                                                                         \
        for (size_t i = from; i < to; i++) {                                                                           \
            char *here = base + i * sizeof(word), *front = base + less * sizeof(word);                                 \
            word x, y;                                                                                                 \
            int first = belongs(here, pivot);                                                                          \
            memcpy(&x, here, sizeof(x));                                                                               \
            memcpy(&y, front, sizeof(y));                                                                              \
            word stays = first ? y : x, goes = first ? x : y;                                                          \
            memcpy(here, &stays, sizeof(stays));                                                                       \
            memcpy(front, &goes, sizeof(goes));                                                                        \
            less += (size_t)first;                                                                                     \
        }                                                                                                              \
        return less;                                                                                                   \
    }
PARTITION(partition_4, uint32_t)
PARTITION(partition_8, uint64_t)

static size_t partition(void *elements, size_t less, size_t from, size_t to, const struct uat_sort_pivot *pivot)
{
    const struct comparison *c = pivot->arg;
    char *base = elements, kept[c->size];
    for (size_t i = from; i < to; i++) {
        char *here = base + i * c->size, *front = base + less * c->size;
        if (!belongs(here, pivot))
            continue;
        less++;
        if (here == front)
            continue;
        memcpy(kept, here, c->size);
        memcpy(here, front, c->size);
        memcpy(front, kept, c->size);
    }
    return less;
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
