/* SPDX-License-Identifier: MIT */
/* Description: once the heap has moved, malloc() returns no memory from before, in whatever order a program frees
 * pieces of both: neither from glibc's cache of the thread nor after newer pieces of the same size. */
#include <malloc.h>
#include <stdlib.h>

#include "runtime/torture/torture.h"
#include "tests/test.h"

enum { PIECES = 12, CACHED = 7 /* pieces of a size that glibc keeps for a thread */, SIZES = 2 };

static const size_t sizes[SIZES] = {104, 200}; /* bytes; the smaller ones go to a list of their own */

/* Pieces between others that stay in use, so that freed ones do not become one. */
static void take(void **pieces, size_t size)
{
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = malloc(size);
        assert_non_null(pieces[i]);
        assert_non_null(malloc(16));
    }
}

/* Fill the cache with new pieces, and then free one more of these before the old ones. */
static void give_back(void **old, void **new)
{
    for (int i = 0; i <= CACHED; i++)
        free(new[i]);
    for (int i = 0; i < PIECES; i++)
        free(old[i]);
}

TEST(no_memory_from_before)
{
    static void *old[SIZES][PIECES], *new[SIZES][PIECES];
    for (int i = 0; i < SIZES; i++)
        take(old[i], sizes[i]);
    uat_torture_heap_move(0, 4);
    for (int i = 0; i < SIZES; i++)
        take(new[i], sizes[i]);
    for (int i = 0; i < SIZES; i++) {
        assert_int_not_equal(uat_torture_heap_owner((uintptr_t)old[i][0]), 0);
        assert_int_equal(uat_torture_heap_owner((uintptr_t) new[i][0]), 0);
        give_back(old[i], new[i]);
    }
    uat_torture_heap_settle();
    for (int i = 0; i < SIZES; i++)
        for (int n = 0; n < 3 * PIECES; n++) {
            void *p = malloc(sizes[i]);
            assert_int_equal(uat_torture_heap_owner((uintptr_t)p), 0);
        }
}
