/* SPDX-License-Identifier: MIT */
/*
 * Description: single cases of global memory, one per argument. They run between rank 0 and rank 1, which are far from
 * each other. `put-then-others` needs a third rank. Most cases combine two features in a way that random programs
 * seldom do.
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"
#include "uat/transfer.h"

enum { BLOCK = UAT_GLOBAL_BLOCK, PART = 4096, BLOCKS = 100 /* blocks per rank's chunk */ };

static unsigned char *array, *far; /* far: rank 1's chunk */
static uint64_t wrong;

static void expect(const char *what, const unsigned char *q, size_t bytes, int value)
{
    for (size_t i = 0; i < bytes; i++)
        if (q[i] != (unsigned char)value) {
            wrong++;
            fprintf(stderr, "cases: %s: byte %zu is %d, not %d\n", what, i, q[i], (unsigned char)value);
            return;
        }
}

static void write_by_checkout(void *p, size_t bytes, int value)
{
    memset(uat_global_checkout(p, bytes, UAT_WRITE), value, bytes);
    uat_global_checkin(p, bytes, UAT_WRITE);
}

static void expect_by_checkout(const char *what, const void *p, size_t bytes, int value)
{
    expect(what, uat_global_checkout(p, bytes, UAT_READ), bytes, value);
    uat_global_checkin(p, bytes, UAT_READ);
}

/* Each rank writes its own chunk: every byte of block b is set to b. */
static int fill_own(void)
{
    unsigned char *own = array + (size_t)uat_rank() * BLOCKS * BLOCK;
    for (int b = 0; b < BLOCKS; b++)
        memset(own + (size_t)b * BLOCK, b, BLOCK);
    return uat_barrier();
}

/* G6: a block is prefetched, and another block takes its slot before the bytes have arrived. */
static int prefetch_then_other_block(void)
{
    unsigned char local[8];
    for (int b = 0; b + 2 < BLOCKS && uat_rank() == 0; b++) {
        unsigned char *next = far + (size_t)(b + 2) * BLOCK; /* two blocks later, because the cache has two slots */
        uat_global_prefetch(far + (size_t)b * BLOCK, PART);
        unsigned char *q = uat_global_checkout(next, PART, UAT_WRITE);
        memset(q, 200, PART);
        for (int i = 0; i < 8; i++)
            uat_global_get(local, far + (size_t)b * BLOCK, sizeof(local));
        expect("written beside a prefetch", q, PART, 200);
        uat_global_checkin(next, PART, UAT_WRITE);
    }
    return 0;
}

/* A put into a part whose prefetch is in flight must not be undone when the prefetched bytes arrive. */
static int prefetch_then_put(void)
{
    unsigned char local[200];
    memset(local, 201, sizeof(local));
    for (int b = 0; b < BLOCKS && uat_rank() == 0; b++) {
        unsigned char *p = far + (size_t)b * BLOCK + 100;
        uat_global_prefetch(p, sizeof(local));
        uat_global_put(p, local, sizeof(local));
        expect_by_checkout("put into what is prefetched", p, sizeof(local), 201);
        expect_by_checkout("beside what was put", p - 50, 50, b);
    }
    return 0;
}

/* Three blocks need the same slot, so two ranges are placed in the overflow area, at different offsets within a
 * page. */
static int two_beside_the_ring(void)
{
    if (uat_rank() == 1)
        return 0;
    for (int first = 0; first < PART; first += 250) {
        unsigned char *in_ring = far, *one = far + (size_t)2 * BLOCK + first, *two = far + (size_t)4 * BLOCK + 10;
        uat_global_checkout(in_ring, 8, UAT_READ);
        unsigned char *p = uat_global_checkout(one, 300, UAT_READ_WRITE),
                      *q = uat_global_checkout(two, 3000, UAT_WRITE);
        if ((p < q ? (size_t)(q - p) < 300 : (size_t)(p - q) < 3000) || (size_t)(p - one) % PART ||
            (size_t)(q - two) % PART)
            expect("places", (const unsigned char *)"", 1, 1);
        memset(q, 202, 3000);
        memset(p, 203, 300);
        expect("the other range", q, 3000, 202);
        uat_global_checkin(one, 300, UAT_READ_WRITE);
        uat_global_checkin(two, 3000, UAT_WRITE);
        uat_global_checkin(in_ring, 8, UAT_READ);
        expect_by_checkout("first beside the ring", one, 300, 203);
        expect_by_checkout("second beside the ring", two, 3000, 202);
    }
    return 0;
}

/* A get across the boundary of two blocks must return what was checked in on both sides. */
static int get_over_an_edge(void)
{
    for (int b = 1; b < BLOCKS && uat_rank() == 0; b++) {
        unsigned char *edge = far + (size_t)b * BLOCK, local[200];
        write_by_checkout(edge - 100, 100, 204);
        write_by_checkout(edge, 100, 205);
        uat_global_get(local, edge - 100, sizeof(local));
        expect("before the edge", local, 100, 204);
        expect("after the edge", local + 100, 100, 205);
    }
    return 0;
}

/* After the freeze, all bytes that rank 1 checked in earlier are at their homes. To write them takes more than one
 * round trip. */
static int freeze(void)
{
    for (int b = 0; b < BLOCKS && uat_rank() == 1; b++)
        write_by_checkout(array + (size_t)b * BLOCK, PART, 206);
    int rc = uat_global_freeze(array);
    for (int b = BLOCKS - 1; b >= 0 && uat_rank() == 0 && !rc; b--)
        expect("frozen", array + (size_t)b * BLOCK, PART, 206);
    return rc ? rc : uat_global_thaw(array);
}

/* An array is allocated while each rank has a far range checked out for writing, another for reading, and a transfer in
 * flight. */
static int alloc_while_open(void)
{
    static uat_global_transfer_t t;
    static unsigned char local[PART];
    unsigned char *other = uat_rank() == 0 ? far : array, *own = uat_rank() == 0 ? array : far;
    unsigned char *q = uat_global_checkout(other, PART, UAT_WRITE);
    const unsigned char *r = uat_global_checkout(other + BLOCK, PART, UAT_READ);
    memset(q, 212, PART / 2);
    uat_global_get_begin(&t, local, other + (size_t)2 * BLOCK, PART);
    unsigned char *second = uat_global_alloc((size_t)uat_size() * BLOCK, UAT_BLOCKED, 0);
    if (!second)
        return -1;
    write_by_checkout(second + (size_t)(1 - uat_rank()) * BLOCK, PART, 213);
    memset(q + PART / 2, 212, PART / 2);
    expect("open for reading", r, PART, 1);
    uat_global_transfer_wait(&t);
    expect("transferred", local, PART, 2);
    uat_global_checkin(other + BLOCK, PART, UAT_READ);
    uat_global_checkin(other, PART, UAT_WRITE);
    int rc = uat_barrier();
    expect("open for writing", own, PART, 212);
    expect("of the second array", second + (size_t)uat_rank() * BLOCK, PART, 213);
    return rc;
}

enum { OBJECTS = 40 };

/* Rank 1 frees all objects of rank 0. Then rank 0 allocates the same number of objects again. The memory of rank 0 has
 * no room for both sets. */
static int give_all_back(void)
{
    void **table = (void **)(void *)array;
    for (int i = 0; i < OBJECTS && uat_rank() == 0; i++)
        table[i] = uat_global_object_alloc(1000);
    if (uat_barrier())
        return -1;
    for (int i = 0; i < OBJECTS && uat_rank() == 1; i++) {
        void *o;
        uat_global_get(&o, &table[i], sizeof(o));
        uat_global_object_free(o);
    }
    if (uat_barrier())
        return -1;
    for (int i = 0; i < OBJECTS && uat_rank() == 0; i++)
        wrong += uat_global_object_alloc(1000) == NULL;
    return 0;
}

/* Rank 1 frees an object of rank 0 to which it has just written. Then rank 0 allocates the object again and writes to
 * it. */
static int give_back_written(void)
{
    struct {
        unsigned char *object;
        uat_atomic_t freed, written;
    } *shared = (void *)array;
    const size_t bytes = 2 * BLOCK + 100;
    unsigned char *o = NULL;
    if (uat_rank() == 0)
        o = shared->object = uat_global_object_alloc(bytes);
    if (uat_barrier())
        return -1;
    if (uat_rank() == 1) {
        uat_global_get(&o, &shared->object, sizeof(o));
        write_by_checkout(o + bytes - 100, 100, 207); /* far from the object's header, in another block */
        uat_global_object_free(o);
        uat_atomic_store(&shared->freed, 1);
        while (!uat_atomic_load(&shared->written)) {
        }
        return uat_barrier();
    }
    while (!uat_atomic_load(&shared->freed)) {
    }
    unsigned char *again = uat_global_object_alloc(bytes);
    wrong += again != o;
    memset(again, 208, bytes);
    uat_atomic_store(&shared->written, 1);
    int rc = uat_barrier();
    expect("an object that was given back", again, bytes, 208);
    return rc;
}

/* A put to rank 1 is in flight while puts to rank 2 take all bounce buffers, one after the other. */
static int put_then_others(void)
{
    unsigned char local[PART], *third = far + (size_t)BLOCKS * BLOCK;
    for (int b = 0; b < 5 && uat_rank() == 0; b++) {
        memset(local, 209, PART);
        uat_global_put(far + (size_t)b * BLOCK, local, PART);
        memset(local, 210, PART);
        for (int i = 0; i < 130; i++) /* more puts than bounce buffers; they merge into one range */
            uat_global_put(third + (size_t)i * PART, local, PART);
        uat_global_release();
        uat_global_get(local, far + (size_t)b * BLOCK, PART);
        expect("put before others", local, PART, 209);
    }
    return 0;
}

/* The job ends while puts and a prefetch are in flight. */
static int put_then_end(void)
{
    unsigned char local[PART];
    memset(local, 211, PART);
    for (int b = 0; b < BLOCKS && uat_rank() == 0; b++)
        uat_global_put(far + (size_t)b * BLOCK, local, PART);
    if (uat_rank() == 0)
        uat_global_prefetch(far + PART, PART);
    return uat_finalize();
}

/* Test ranges of zero bytes, and addresses outside of global memory. Called on both ranks, once before global memory is
 * opened and once while it is open. */
static void nothing_and_nowhere(int is_open)
{
    uat_global_transfer_t t;
    int local = 0;
    wrong += uat_global_near(&local, 4) != 0 || uat_global_near(NULL, 0) != 0 || uat_global_near(NULL, 8) != 0;
    wrong += uat_global_home(&local) >= 0;
    uat_global_get(NULL, NULL, 0);
    uat_global_put(NULL, NULL, 0);
    uat_global_prefetch(NULL, 0);
    for (int access = UAT_READ; access <= UAT_READ_WRITE; access++) {
        uat_global_checkout(NULL, 0, (enum uat_access)access);
        uat_global_checkin(NULL, 0, (enum uat_access)access);
    }
    uat_global_get_begin(&t, NULL, NULL, 0);
    uat_global_transfer_wait(&t);
    uat_global_put_begin(&t, NULL, NULL, 0);
    uat_global_transfer_wait(&t);
    if (!is_open)
        return;
    unsigned char *own = uat_rank() == 0 ? array : far, *other = uat_rank() == 0 ? far : array;
    const size_t all = (size_t)BLOCKS * BLOCK;
    wrong += uat_global_near(own, 10) != 10 || uat_global_near(other, 10) != 0;
    wrong += uat_global_near(own + all - 4, 10) != 4; /* far bytes, or the end of the array, limit the result */
    wrong += uat_global_near(array + 2 * all, 10) != 0 || uat_global_near(array - 10, 10) != 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {{"prefetch-then-other-block", prefetch_then_other_block},
             {"prefetch-then-put", prefetch_then_put},
             {"two-beside-the-ring", two_beside_the_ring},
             {"get-over-an-edge", get_over_an_edge},
             {"freeze", freeze},
             {"alloc-while-open", alloc_while_open},
             {"give-all-back", give_all_back},
             {"give-back-written", give_back_written},
             {"put-then-others", put_then_others},
             {"put-then-end", put_then_end}};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int rc = -1, edges = strcmp(name, "nothing-and-nowhere") == 0;
    if (uat_init())
        return 1;
    if (edges)
        nothing_and_nowhere(0);
    array = uat_global_alloc((size_t)uat_size() * BLOCKS * BLOCK, UAT_BLOCKED, 0);
    if (!array || uat_size() > 3)
        return 1;
    far = array + (size_t)BLOCKS * BLOCK;
    if (fill_own())
        return 1;
    if (edges) {
        nothing_and_nowhere(1);
        rc = 0;
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(cases[i].name, name) == 0)
            rc = cases[i].run();
    if (rc || (strcmp(name, "put-then-end") && (uat_barrier() || uat_finalize())))
        return 1;
    if (wrong)
        fprintf(stderr, "cases: %s: %lu wrong\n", name, (unsigned long)wrong);
    return wrong != 0;
}
