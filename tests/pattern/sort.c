/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_sort() and uat_for_each_block() over global arrays, with several element sizes and initial orders. A
 * sort orders all elements and loses none. A loop visits each element once. The program also sorts local arrays. There,
 * runs are merged with few comparisons. With a contradictory comparison the sort loses no element, changes nothing next
 * to a local array, and does not take quadratic time.
 *
 * usage: test-sort ROUNDS [BYTES]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>

#include "tests/mix.h"

enum { SIZES = 6, SHAPES = 11, LARGEST = 100, LOCAL = 500 };
enum contradiction { NONE, LESS_OR_EQUAL, ALWAYS_LESS, ALWAYS_GREATER, BY_CHANCE, BY_ADDRESS, CONTRADICTIONS };
#define CALLS_MAX UINT64_C(300000000) /* most comparisons per process; a quadratic sort of small elements exceeds it */

static const size_t sizes[SIZES] = {1, 4, 8, 16, 24, LARGEST};

/* The argument of comparisons and bodies. Padding makes it large; its last byte shows that all of it is copied. */
struct order {
    size_t size;
    int down, shape;
    enum contradiction contradiction;
    uint64_t seed, count;
    char padding[40];
};

static uint64_t key_of(const void *element, size_t size)
{
    uint64_t key = 0;
    memcpy(&key, element, size < sizeof(key) ? size : sizeof(key)); /* lowest byte first */
    return key;
}

static uint64_t calls;

static int compare(const void *a, const void *b, const void *arg)
{
    const struct order *o = arg;
    uint64_t x = key_of(a, o->size), y = key_of(b, o->size);
    int sign = (x > y) - (x < y);
    if (o->padding[39] != 'x' || ++calls > CALLS_MAX)
        abort();
    switch (o->contradiction) {
    case LESS_OR_EQUAL:
        return sign == 0 ? -1 : o->down ? -sign : sign;
    case ALWAYS_LESS:
        return -1;
    case ALWAYS_GREATER:
        return 1;
    case BY_ADDRESS: /* a copy outside the array, such as a pivot, is below all elements or above all elements */
        return (a < b) == (o->seed % 2) ? -1 : 1;
    case BY_CHANCE:
        return (int)(mix(calls) % 3) - 1;
    default:
        return o->down ? -sign : sign;
    }
}

static uint64_t key_at(const struct order *o, uint64_t i)
{
    uint64_t n = o->count;
    switch (o->shape) {
    case 0:
        return mix(i + o->seed);
    case 1:
        return i;
    case 2:
        return n - i;
    case 3:
        return 77;
    case 4:
        return mix(i + o->seed) % 3;
    case 5:
        return i < n / 2 ? i : n - i;
    case 6: /* two interleaved sequences */
        return i % 2 * n / 2 + i / 2;
    case 7: /* two interleaved sequences; one falls */
        return i % 2 ? n - i : i;
    case 8:
        return i % 4 * n / 4 + i / 4;
    case 9: /* four sequences, one after the other */
        return i % (n / 4 + 1);
    default:
        return i % 10 ? i : mix(i) % n;
    }
}

/* Make an element: its key, and bytes that are computed from the key. */
static void make(char *element, size_t size, uint64_t key)
{
    memcpy(element, &key, size < sizeof(key) ? size : sizeof(key));
    for (size_t i = sizeof(key); i < size; i++)
        element[i] = (char)(key * i >> 3);
}

static void fill(void *elements, size_t first, size_t count, const void *arg)
{
    const struct order *o = arg;
    for (size_t i = 0; i < count; i++)
        make((char *)elements + i * o->size, o->size, key_at(o, first + i));
}

/* Each element must be visited once: a visit adds 1 to its first byte. */
static void visit(void *elements, size_t first, size_t count, const void *arg)
{
    const struct order *o = arg;
    if (count == 0 || first + count > o->count)
        abort();
    for (size_t i = 0; i < count; i++)
        ++*((char *)elements + i * o->size);
}

static void check_visits(void *elements, size_t first, size_t count, const void *arg)
{
    const struct order *o = arg;
    char expected[LARGEST];
    for (size_t i = 0; i < count; i++) {
        make(expected, o->size, key_at(o, first + i));
        ++*expected;
        if (memcmp((char *)elements + i * o->size, expected, o->size) != 0) {
            fprintf(stderr, "test-sort: element %zu of %zu bytes is wrong after one visit\n", first + i, o->size);
            abort();
        }
    }
}

struct sums {
    uint64_t sum, squares, wrong;
};

static void add_element(struct sums *s, const char *element, const struct order *o)
{
    char expected[LARGEST];
    uint64_t key = key_of(element, o->size);
    make(expected, o->size, key);
    s->wrong += memcmp(element, expected, o->size) != 0;
    s->sum += mix(key);
    s->squares += mix(key) * mix(key);
}

struct check {
    struct order order; /* its contradiction is NONE */
    int ordered;
    char *array;
};

/* Each iteration is an element. Add it to the sums, and count it as wrong if it is damaged or less than the one before
 * it. */
static void add_range(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct check *c = arg;
    char one[LARGEST], before[LARGEST];
    for (int64_t i = begin; i < end; i++) {
        uat_global_get(one, c->array + (size_t)i * c->order.size, c->order.size);
        if (i > 0)
            uat_global_get(before, c->array + (size_t)(i - 1) * c->order.size, c->order.size);
        struct sums *s = partial;
        add_element(s, one, &c->order);
        s->wrong += c->ordered && i > 0 && compare(before, one, (void *)(uintptr_t)&c->order) > 0;
    }
}

static void add_sums(void *left, const void *right, const void *arg)
{
    struct sums *l = left;
    const struct sums *r = right;
    (void)arg;
    l->sum += r->sum;
    l->squares += r->squares;
    l->wrong += r->wrong;
}

static const struct sums nothing;
static const uat_reduction_t reduction = {add_range, add_sums, &nothing, sizeof(nothing)};

static int check_sorted(char *array, const struct order *o)
{
    struct check c = {*o, o->contradiction == NONE, array};
    c.order.contradiction = NONE;
    struct sums expected = nothing, found;
    char one[LARGEST];
    for (uint64_t i = 0; i < o->count; i++) {
        make(one, o->size, key_at(o, i));
        add_element(&expected, one, o);
    }
    uat_reduce(0, (int64_t)o->count, 0, &reduction, &c, sizeof(c), &found);
    if (memcmp(&expected, &found, sizeof(found)) == 0)
        return 0;
    fprintf(stderr,
            "test-sort: %" PRIu64 " elements of %zu bytes, shape %d, %s: %" PRIu64 " are out of order or damaged%s\n",
            o->count, o->size, o->shape, o->down ? "downwards" : "upwards", found.wrong,
            expected.sum == found.sum ? "" : ", others than before");
    return 1;
}

/* A private array of one process, not in global memory. It lies on the task's own stack, between two elements that must
 * not be touched. */
static int check_local(const struct order *of)
{
    struct order o = *of;
    char room[(LOCAL + 2) * LARGEST], *own = room + LARGEST;
    struct sums expected = nothing, found = nothing;
    int errors = 0;
    memset(room, 0x55, sizeof(room));
    o.count = o.count < LOCAL ? o.count : LOCAL;
    fill(own, 0, o.count, &o);
    for (uint64_t i = 0; i < o.count; i++)
        add_element(&expected, own + i * o.size, &o);
    uat_sort(own, o.count, o.size, compare, &o, sizeof(o));
    for (uint64_t i = 0; i < o.count; i++) {
        add_element(&found, own + i * o.size, &o);
        errors += i > 0 && o.contradiction == NONE && compare(own + (i - 1) * o.size, own + i * o.size, &o) > 0;
    }
    for (int i = 0; i < LARGEST; i++)
        errors += room[i] != 0x55 || own[o.count * o.size + (uint64_t)i] != 0x55;
    if (memcmp(&expected, &found, sizeof(found)) != 0 || errors > 0)
        fprintf(stderr, "test-sort: %" PRIu64 " local elements of %zu bytes, shape %d, contradiction %d: %d errors\n",
                o.count, o.size, o.shape, o.contradiction, errors);
    return memcmp(&expected, &found, sizeof(found)) != 0 || errors > 0;
}

/* A sort of local memory that consists of few runs needs few comparisons. */
static int check_runs(void)
{
    char own[LOCAL * 8];
    int errors = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        struct order o = {.size = 8, .count = LOCAL, .shape = shape, .padding[39] = 'x'};
        fill(own, 0, LOCAL, &o);
        calls = 0;
        uat_sort(own, LOCAL, 8, compare, &o, sizeof(o));
        int one = shape == 1 || shape == 2 || shape == 3, few = one || (shape >= 5 && shape <= 9);
        if (few && calls > (one ? LOCAL : 5 * LOCAL)) {
            fprintf(stderr, "test-sort: %" PRIu64 " comparisons of %d elements, shape %d\n", calls, LOCAL, shape);
            errors++;
        }
    }
    return errors;
}

static int check_array(char *array, const struct order *o)
{
    uat_for_each_block(array, o->count, o->size, UAT_WRITE, fill, o, sizeof(*o));
    uat_for_each_block(array, o->count, o->size, UAT_READ_WRITE, visit, o, sizeof(*o));
    uat_for_each_block(array, o->count, o->size, UAT_READ, check_visits, o, sizeof(*o));
    uat_for_each_block(array, o->count, o->size, UAT_WRITE, fill, o, sizeof(*o));
    uat_sort(array, o->count, o->size, compare, o, sizeof(*o));
    int errors = check_sorted(array, o) + check_local(o);
    struct order wrong = *o;
    wrong.contradiction = (enum contradiction)(NONE + 1 + (o->seed * 3 + o->size / 4) % (CONTRADICTIONS - 1));
    uat_for_each_block(array, o->count, o->size, UAT_WRITE, fill, o, sizeof(*o));
    uat_sort(array, o->count, o->size, compare, &wrong, sizeof(wrong));
    return errors + check_sorted(array, &wrong) + check_local(&wrong);
}

struct arrays {
    char *blocked, *cyclic;
    size_t bytes;
    uint64_t seed;
};

/* SHAPES rounds cover every combination of size and shape. Some arrays have few elements. */
static void root(void *arg, void *result)
{
    const struct arrays *a = arg;
    int errors = check_runs();
    for (int i = 0; i < SIZES; i++) {
        struct order o = {.size = sizes[i], .shape = (int)((a->seed + (uint64_t)i) % SHAPES), .seed = a->seed};
        uint64_t most = a->bytes / sizes[i], which = mix(a->seed * 64 + (uint64_t)i) % 6;
        o.count = which == 0 ? a->seed % 4 : which == 1 ? 1 + most / 50 : most - which;
        o.down = (int)(a->seed + (uint64_t)i) % 2;
        o.padding[39] = 'x';
        errors += check_array(i % 2 ? a->cyclic : a->blocked, &o);
    }
    *(int *)result = errors;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, errors = 0;
    struct arrays a = {.bytes = argc > 2 ? (size_t)atol(argv[2]) : 300000};
    if (uat_init())
        return 1;
    a.blocked = uat_global_alloc(a.bytes, UAT_BLOCKED, 0);
    a.cyclic = uat_global_alloc(a.bytes, UAT_CYCLIC, 0);
    if (!a.blocked || !a.cyclic)
        return 1;
    for (int i = 0; i < rounds; i++) {
        int found = 0;
        a.seed = (uint64_t)i;
        if (uat_run(root, &a, sizeof(a), &found, sizeof(found)))
            return 1;
        errors += found;
    }
    uat_stats_t stats;
    if (uat_stats_total(&stats))
        return 1;
    if (uat_rank() == 0)
        printf("%d errors, %" PRIu64 " tasks, %" PRIu64 " steals\n", errors, stats.tasks, stats.steals);
    return uat_finalize() || errors > 0;
}
