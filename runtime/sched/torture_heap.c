/* SPDX-License-Identifier: MIT */
#include "runtime/sched/torture_heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/* The size in bytes of each rank's heap, which starts at first + rank * WINDOW. This size is far more than a test
 * needs. 4096 heaps take 4 TiB. */
#define WINDOW ((uintptr_t)1 << 30)
/* bytes by which the break rises at a time; a larger step is refused if memory is short */
#define STEP ((uintptr_t)64 << 20)

enum { SMALL_MAX = 4096 /* bytes: pieces up to this size are used up one by one */, LEFT_MAX = 4096 };

static uintptr_t first;
static int windows;

/* Move malloc()'s large pieces apart: map (rank + 1) * WINDOW bytes of inaccessible memory. malloc() maps each large
 * piece below the existing mappings, so its pieces start below this block. */
static void move_mappings(int rank)
{
    void *p = mmap(NULL, (size_t)(rank + 1) * WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        uat_info("UAT_TORTURE: large pieces of malloc() have the same addresses on all workers: %s", strerror(errno));
}

/* Raise the program break to `to` step by step, and give back the memory below it at each step, because the kernel
 * accounts for that memory. */
static int raise_break(uintptr_t to)
{
    for (uintptr_t at = (uintptr_t)sbrk(0); at < to; at = (uintptr_t)sbrk(0)) {
        size_t step = to - at < STEP ? to - at : STEP;
        if (sbrk((intptr_t)step) == (void *)-1)
            return -errno;
        uintptr_t page = (at + 4095) & ~(uintptr_t)4095;
        if (to > page)
            munmap((void *)page, at + step - page);
    }
    return 0;
}

/* Use up the memory that malloc() still has below the window, so that malloc() asks the kernel for more. */
static void use_up(void)
{
    for (size_t size = SMALL_MAX; size >= 16; size -= 16)
        for (int i = 0; i < LEFT_MAX; i++) {
            void *p = malloc(size);
            if (p && (uintptr_t)p < first)
                continue; /* kept for good */
            free(p);
            break;
        }
}

void uat_torture_heap_move(int rank, int size)
{
    first = ((uintptr_t)sbrk(0) + WINDOW) & ~(WINDOW - 1);
    windows = size;
    malloc_trim(0);
    int rc = raise_break(first + (uintptr_t)rank * WINDOW);
    if (rc) {
        uat_info("UAT_TORTURE: malloc() gives the same addresses on all workers: %s", strerror(-rc));
        windows = 0;
    }
    move_mappings(rank);
    if (!rc) /* otherwise all of malloc()'s memory is below the window, and using it up would not end */
        use_up();
}

int uat_torture_heap_owner(uintptr_t address)
{
    return address >= first && (address - first) / WINDOW < (uintptr_t)windows ? (int)((address - first) / WINDOW) : -1;
}
