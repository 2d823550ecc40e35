/* SPDX-License-Identifier: MIT */
/* Description: in a job of several workers, no two workers get the same address from malloc(), for small and large
 * pieces; so a pointer that a task keeps across a spawn is no valid pointer on another worker.
 * With an argument, the program frees 45 MB before uat_init(), more than glibc's caches may take. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/uat.h"
#include "include/uat/global.h"

enum { EARLIER = 400000, LARGE = 3, SMALL_MAX = 1024, TIMES = 3, SIZES = LARGE + TIMES * SMALL_MAX / 16 };
static size_t sizes[SIZES] = {1500, 100000, 10000000};

/* Do two of these pieces of different workers overlap? */
static int overlap(const uintptr_t *a, const uintptr_t *b)
{
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            if (a[i] < b[j] + sizes[j] && b[j] < a[i] + sizes[i])
                return 1;
    return 0;
}

/* All pieces but the last one are free again, so glibc cannot return the memory to the kernel. */
static void use_before(void)
{
    static void *piece[EARLIER];
    for (int i = 0; i < EARLIER; i++)
        piece[i] = malloc(100);
    for (int i = 0; i < EARLIER - 1; i++)
        free(piece[i]);
}

int main(int argc, char **argv)
{
    int overlaps = 0;
    (void)argv;
    if (argc > 1)
        use_before();
    if (uat_init() < 0)
        return 1;
    for (int i = LARGE; i < SIZES; i++)
        sizes[i] = 16 * (size_t)((i - LARGE) / TIMES + 1); /* each size that malloc() may have kept from before */
    uintptr_t own[SIZES], other[SIZES];
    for (int i = 0; i < SIZES; i++) {
        own[i] = (uintptr_t)malloc(sizes[i]);
        overlaps += (uintptr_t)sbrk(0) - own[i] < 128 << 20; /* where the heap was before */
    }
    uintptr_t *all = uat_global_alloc((size_t)uat_size() * sizeof(own), UAT_BLOCKED, 0);
    if (!all)
        return 1;
    uat_global_put(all + uat_rank() * SIZES, own, sizeof(own));
    if (uat_barrier() < 0)
        return 1;
    for (int rank = 0; rank < uat_size(); rank++) {
        uat_global_get(other, all + rank * SIZES, sizeof(other));
        overlaps += rank != uat_rank() && overlap(own, other);
    }
    if (overlaps)
        printf("rank %d: %d times, pieces of malloc() have addresses of other workers, or may have\n", uat_rank(),
               overlaps);
    for (int i = 0; i < SIZES; i++)
        free((void *)own[i]);
    return uat_finalize() < 0 || overlaps;
}
