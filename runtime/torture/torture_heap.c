/* SPDX-License-Identifier: MIT */
#include "runtime/torture/torture.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/self.h"

/* Bytes between the heaps of neighbouring ranks. A larger heap reaches into the next rank's addresses, which only makes
 * some wrong pointers valid. 4096 heaps take 4 TiB of addresses. Each restart of the job begins in the other half, so
 * that a pointer which a task keeps over one restart points to no memory either. */
#define WINDOW ((uintptr_t)1 << 30)
#define HALF   (WINDOW / 2)

/* The edge is a multiple of this. So it is the same on all workers and after a restart, unless mappings fill that many
 * bytes; a different edge differs by whole windows, so it does not exchange their halves. */
#define EDGE (8 * WINDOW)

enum { GAP = 64 << 10 /* bytes: malloc() maps no smaller piece */ };
enum { LARGE = 64 << 10, SMALL = 1024, CACHES = 16 << 20 /* bytes */, MOST_GOOD = 64 /* pieces */ };
#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo /* the function and the structure */
#endif

enum { TRIES = 4096 /* mappings: no process has that many gaps of one size */ };

/* The heap of rank r is between r + 1 and r + 2 windows away from the edge. */
static struct {
    uintptr_t edge;
    int windows, rank; /* windows: workers, and ranks of the checkpoint that have no worker in this job */
    void *used_up;     /* the pieces of use_up(), each of which names the next one: no tool calls them leaks */
    bool up; /* Does the kernel map each new piece above the earlier ones? It does so if the stack has no limit. */
} heaps;

static void *map(void *place, size_t bytes, int flags)
{
    return mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Does p follow the block of `bytes` bytes in the direction in which the kernel maps new pieces? */
static bool is_beyond(const char *p, const char *block, size_t bytes)
{
    return heaps.up ? p >= block + bytes : p < block;
}

/* Learn that direction: map pieces until one is next to the block. Earlier ones lie in gaps, and stay. */
static bool learn_direction(const char *block, size_t bytes)
{
    for (int i = 0; i < TRIES / 64; i++) { /* few gaps have room for a window */
        const char *p = map(NULL, WINDOW, 0);
        heaps.up = p == block + bytes;
        if (heaps.up || p == block - WINDOW)
            return munmap((void *)p, WINDOW) == 0;
        if (p == MAP_FAILED)
            return false;
    }
    return false;
}

/* Close the gaps between the mappings before the block, because the kernel would put malloc()'s pieces there. */
static void close_gaps(const char *block, size_t block_bytes)
{
    for (size_t bytes = WINDOW; bytes >= GAP; bytes /= 2)
        for (int i = 0; i < TRIES; i++) {
            char *p = map(NULL, bytes, 0);
            if (p != MAP_FAILED && !is_beyond(p, block, block_bytes))
                continue; /* kept for good */
            if (p != MAP_FAILED)
                munmap(p, bytes);
            break;
        }
}

static uintptr_t distance(uintptr_t address)
{
    return heaps.up ? address - heaps.edge : heaps.edge - address - 1;
}

int uat_torture_heap_owner(uintptr_t address)
{
    uintptr_t rank = distance(address) / WINDOW - 1; /* wraps if negative */
    return rank < (uintptr_t)heaps.windows ? (int)rank : -1;
}

/* Where a worker's heap starts, as a distance from the edge. */
static uintptr_t start(void)
{
    return (uintptr_t)(heaps.rank + 1) * WINDOW + uat_self.restarts % 2 * HALF;
}

/* Before its heap's start this process has only the block of uat_torture_heap_move(). Beyond, its own mappings may have
 * come into the half, after more than 512 MiB. */
bool uat_torture_heap_is_earlier(uintptr_t address)
{
    uintptr_t away = distance(address), half = away / HALF * HALF;
    if (uat_self.restarts == 0 || away / HALF % 2 == uat_self.restarts % 2)
        return false;
    uintptr_t low = heaps.up ? heaps.edge + half : heaps.edge - half - HALF;
    return away < start() || !uat_torture_is_mapped(low, low + HALF);
}

/* Extend the block so that the edge is a multiple of EDGE. Returns the block. */
static char *align(char *block, size_t *bytes)
{
    size_t pad = (heaps.up ? start() - (uintptr_t)block - *bytes : (uintptr_t)block + start()) % EDGE;
    char *place = heaps.up ? block + *bytes : block - pad;
    if (pad == 0 || map(place, pad, MAP_FIXED_NOREPLACE) != place)
        return block;
    *bytes += pad;
    return heaps.up ? block : place;
}

/* Put a piece on a list, whose links are in the pieces. */
static void push(void **list, void *piece)
{
    *(void **)piece = *list;
    *list = piece;
}

/* Did malloc() cut its last piece from a larger one? Then it had no free piece of that size. `before` is an earlier
 * state; this stores the state after the call. glibc counts the pieces in a thread's cache as used: one of these leaves
 * the free bytes as they were. Another freed piece of that size leaves one free piece less. */
static bool is_cut(struct mallinfo2 *before)
{
    struct mallinfo2 now = mallinfo2();
    bool cut = now.fordblks < before->fordblks && now.ordblks + now.smblks >= before->ordblks + before->smblks;
    *before = now;
    return cut;
}

/* Use up the bad pieces of a size: those outside of the window. Good ones go to `good`. Returns false once bad pieces
 * have taken all of `left`. */
static bool use_up_size(size_t size, struct mallinfo2 *state, void **good, size_t *left)
{
    for (int tries = 0; tries < MOST_GOOD;) {
        if (*left < size)
            return false;
        void *p = malloc(size);
        if (!p)
            break;
        if (uat_torture_heap_owner((uintptr_t)p) != heaps.rank) {
            push(&heaps.used_up, p);
            *left -= size;
            continue;
        }
        if (size > SMALL) { /* the next size takes the same pages */
            free(p);
            *state = mallinfo2();
            break;
        }
        push(good, p);
        tries++;
        if (is_cut(state))
            break;
    }
    return true;
}

/*
 * Use up the memory outside of the window that malloc() still has: below the program break, and pieces of other threads
 * that this one has freed. Then malloc() asks the kernel for more. Large pieces first: one good piece of each. A small
 * size is done with a good piece that was cut from a larger one; with malloc() of another library, which mallinfo()
 * does not know, with MOST_GOOD good ones. They are freed at the end, so that none is found again. In most cases a size
 * needs one, because each new page costs a fault. The bad ones are kept for good. They take at most the bytes that are
 * free now and those of the caches, unless malloc() is not glibc's or the window is full.
 */
static void use_up(void)
{
    void *good = NULL;
    struct mallinfo2 state = mallinfo2();
    size_t left = (size_t)state.fordblks + CACHES, size = LARGE;
    while (size >= 16 && use_up_size(size, &state, &good, &left))
        size = size > SMALL ? size / 2 : size - 16;
    while (good) {
        void *p = good;
        good = *(void **)p;
        free(p);
    }
    if (size >= 16)
        uat_info("malloc() may give the same addresses on several workers: it still returns memory that it had before "
                 "uat_init()");
}

void uat_torture_heap_move(int rank, int windows)
{
    heaps.rank = rank;
    uintptr_t end = ((uintptr_t)sbrk(0) + 4095) & ~(uintptr_t)4095;
    /* The kernel maps each new piece next to the existing mappings, so the pieces that follow lie beyond this block. */
    size_t bytes = start();
    char *block = map(NULL, bytes, 0);
    /* A page at the program break stops the break from rising. Then malloc() maps its small pieces, too. */
    void *stop = map((void *)end, 4096, MAP_FIXED_NOREPLACE);
    if (block == MAP_FAILED || (uintptr_t)stop != end || !learn_direction(block, bytes)) {
        uat_info(
            "malloc() may give the same addresses on several workers: no memory could be mapped beyond the others, or "
            "at the program break");
        if (block != MAP_FAILED)
            munmap(block, bytes);
        if (stop != MAP_FAILED)
            munmap(stop, 4096);
        return;
    }
    block = align(block, &bytes);
    heaps.edge = heaps.up ? (uintptr_t)block + bytes - start() : (uintptr_t)block + start();
    heaps.windows = windows;
    close_gaps(block, bytes);
    use_up();
}

void uat_torture_heap_settle(void)
{
    if (heaps.windows > 0)
        use_up();
}
