/* SPDX-License-Identifier: MIT */
/*
 * Description: a first-level cache chooses a way by some address bits. Any two arrays differ in these bits, and so do
 * an array and its cached copy. This also holds after arrays have been freed.
 */
#include <stdint.h>
#include <stdio.h>

#include "uat.h"
#include "uat/global.h"

enum { CODE = 16, MOST = 120 };

static char *array[MOST];
static int errors;

/* The hash of AMD's Zen: eight pairs of address bits. */
static unsigned way_hash(const void *p)
{
    static const int pairs[8][2] = {{12, 27}, {13, 26}, {14, 25}, {15, 20}, {16, 21}, {17, 22}, {18, 23}, {19, 24}};
    uintptr_t at = (uintptr_t)p;
    unsigned hash = 0;
    for (int i = 0; i < 8; i++)
        hash |= (unsigned)((at >> pairs[i][0] ^ at >> pairs[i][1]) & 1) << i;
    return hash;
}

static void check(int ok, const char *what, const void *a, const void *b)
{
    if (ok)
        return;
    fprintf(stderr, "rank %d: %s: %p and %p\n", uat_rank(), what, a, b);
    errors++;
}

static void check_arrays(void)
{
    for (int i = 0; i < MOST; i++) {
        check((uintptr_t)array[i] % (2 << 20) == 0, "an array is not aligned to 2 MiB", array[i], NULL);
        for (int j = 0; j < i; j++) {
            unsigned differ = (unsigned)__builtin_popcount(way_hash(array[i]) ^ way_hash(array[j]));
            check(differ >= (i < CODE ? 3 : 1), "too few bits differ", array[i], array[j]);
        }
    }
}

/* Compare cached copies of far bytes with near bytes at the same offset in the array. */
static void check_cached(size_t bytes)
{
    for (size_t at = bytes * (size_t)(1 - uat_rank()), end = at + bytes; at < end; at += UAT_GLOBAL_BLOCK) {
        const char *place = uat_global_checkout(array[1] + at, 8, UAT_READ);
        check(place != array[1] + at, "a far byte is accessed in place", place, NULL);
        for (int i = 0; i < MOST; i++)
            check(way_hash(place) != way_hash(array[i] + at), "a place in the cache collides", place, array[i]);
        uat_global_checkin(array[1] + at, 8, UAT_READ);
    }
}

/* Array 20 lies in a single granule of 1 GiB only if it starts at the granule's beginning. */
static char *allocate(int number)
{
    return uat_global_alloc(number == 20 ? UINT64_C(1023) << 20 : UINT64_C(4) << 20, UAT_BLOCKED, 0);
}

int main(void)
{
    int rc = uat_init();
    for (int i = 0; i < MOST && !rc; i++)
        rc = (array[i] = allocate(i)) ? 0 : -1;
    if (rc)
        return 1;
    check_arrays();
    check_cached(UINT64_C(1) << 21);
    for (int round = 0; round < 2; round++)
        for (int i = round; i < MOST && !rc; i += 7) {
            rc = uat_global_free(array[i]);
            if (!rc)
                rc = (array[i] = allocate(i)) ? 0 : -1;
        }
    if (rc)
        return 1;
    check_arrays();
    rc = uat_finalize();
    return errors || rc ? 1 : 0;
}
