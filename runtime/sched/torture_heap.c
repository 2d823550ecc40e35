/* SPDX-License-Identifier: MIT */
#include "runtime/sched/torture_heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/* Bytes between the heaps of neighbouring ranks. A larger heap reaches into the next rank's addresses, which only makes
 * some wrong pointers valid. 4096 heaps take 4 TiB of addresses. */
#define WINDOW ((uintptr_t)1 << 30)

enum { GAP = 64 << 10 /* bytes: malloc() maps no smaller piece */ };
enum { LARGE = 64 << 10, SMALL = 1024 /* bytes */, LEFT_MAX = 4096 };

static uintptr_t top; /* the heap of rank 0 is below top - WINDOW, that of the next rank is one WINDOW lower */
static int windows;

static void *map(void *place, size_t bytes, int flags)
{
    return mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Close the gaps between the mappings above `block`, because the kernel would put malloc()'s pieces there. */
static void close_gaps(const void *block)
{
    for (size_t bytes = WINDOW; bytes >= GAP; bytes /= 2)
        for (void *p = map(NULL, bytes, 0); p != MAP_FAILED; p = map(NULL, bytes, 0))
            if (p < block) {
                munmap(p, bytes);
                break;
            }
}

/* Use up the memory that malloc() still has below the program break, so that malloc() asks the kernel for more. Large
 * pieces first, because each piece touches a page. */
static void use_up(uintptr_t end)
{
    for (size_t size = LARGE; size >= 16; size = size > SMALL ? size / 2 : size - 16)
        for (int i = 0; i < LEFT_MAX; i++) {
            void *p = malloc(size);
            if (p && (uintptr_t)p < end)
                continue; /* kept for good */
            free(p);
            break;
        }
}

void uat_torture_heap_move(int rank, int size)
{
    uintptr_t end = ((uintptr_t)sbrk(0) + 4095) & ~(uintptr_t)4095;
    /* The kernel maps each new piece below the existing mappings, so the pieces that follow start below this block. */
    size_t bytes = (size_t)(rank + 1) * WINDOW;
    void *block = map(NULL, bytes, 0);
    /* A page at the program break stops the break from rising. Then malloc() maps its small pieces, too. */
    void *stop = map((void *)end, 4096, MAP_FIXED_NOREPLACE);
    if (block == MAP_FAILED || (uintptr_t)stop != end) {
        uat_info("malloc() may give the same addresses on several workers: %s", strerror(errno));
        return;
    }
    top = (uintptr_t)block + bytes;
    windows = size;
    close_gaps(block);
    use_up(end);
}

int uat_torture_heap_owner(uintptr_t address)
{
    uintptr_t rank = (top - address - 1) / WINDOW - 1;
    return address < top && top - address > WINDOW && rank < (uintptr_t)windows ? (int)rank : -1;
}
