/* SPDX-License-Identifier: MIT */
/*
 * The arena: the memory of the cache (its ring of places), of the overflow area, of the bounce buffers and of the words
 * in which atomics land. Adapters reach all of it. This file also makes the memory of uat_cache, and uat_far points to
 * the records of open checkouts from the start. So these objects are defined here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/global/cache.h"
#include "runtime/global/settings.h"

struct uat_arena uat_arena;
struct uat_cache uat_cache;
struct uat_open uat_opens[1 + UAT_OPEN_MAX] = {{.what = UINT64_MAX}};
UAT_KERNEL(uat_opens);

enum { LANDING = 4096 /* bytes reserved for the landing words */ };

static const struct uat_shown_run nothing; /* shown before global memory is open, and in a job on one host */
#define CLOSED                                                                                                         \
    {                                                                                                                  \
        .shown = &nothing, .epoch = UINT64_C(1) << UAT_FAR_EPOCH_SHIFT, .last = uat_opens,                             \
        .full = uat_opens + UAT_OPEN_MAX                                                                               \
    }
struct uat_far uat_far = CLOSED;
_Static_assert((int)UAT_FAR_BLOCK_SHIFT == UAT_BLOCK_SHIFT, "slots have a run each");

/*
 * Map the arena, and right after it the ring a second time. The ring starts 1 MiB after a multiple of 2 MiB. So a
 * byte's place in the ring and a byte at the same offset in any array never collide in a first-level cache. The reason
 * is in place.c: bit 20 is 1 in one address and 0 in the other, and bit 15 is the same in both.
 */
static int map_arena(void)
{
    const size_t unit = UINT64_C(2) << 20, apart = unit / 2, size = uat_arena.size + uat_cache.ring_size;
    char *p = mmap(NULL, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    size_t before = (apart - ((uintptr_t)p + uat_arena.size - uat_cache.ring_size)) % unit;
    if (before)
        munmap(p, before);
    p += before;
    munmap(p + size, unit - before);
    uat_arena.base = p;
    /* Over shared memory the pages come at their first use: there the adapters are made up (UAT_GLOBAL_HOSTS), and most
     * such jobs are tests, which use few pages. A measurement's first checkouts take these faults. */
    int flags = MAP_SHARED | MAP_FIXED | (uat_global.config.transport->class_->bulk->maps ? 0 : MAP_POPULATE);
    if (mmap(p, uat_arena.size, PROT_READ | PROT_WRITE, flags, uat_arena.fd, 0) == MAP_FAILED)
        return -errno;
    off_t ring = (off_t)(uat_arena.size - uat_cache.ring_size);
    if (uat_cache.ring_size &&
        mmap(p + uat_arena.size, uat_cache.ring_size, PROT_READ | PROT_WRITE, flags, uat_arena.fd, ring) == MAP_FAILED)
        return -errno;
    return 0;
}

void uat_arena_plan(void)
{
    struct uat_global *g = &uat_global;
    size_t slots = 1;
    while (2 * slots * UAT_BLOCK <= uat_global_settings.cache_size)
        slots *= 2;
    uat_cache.ring_size = g->far ? slots * UAT_BLOCK : 0;
    uat_cache.ring_mask = uat_cache.ring_size - 1;
    uat_arena.overflow_size = uat_cache.ring_size / 4;
    uat_cache.slot_mask = slots - 1;
    uat_arena.size = uat_arena.overflow_size + (size_t)UAT_BOUNCES * UAT_BOUNCE + LANDING + uat_cache.ring_size;
}

int uat_arena_open(void)
{
    struct uat_global *g = &uat_global;
    uat_arena.fd = uat_memfd("uat-cache", 0);
    uat_cache.slot =
        aligned_alloc(_Alignof(struct uat_slot_of_cache), (uat_cache.slot_mask + 1) * sizeof(*uat_cache.slot));
    uat_cache.shown = calloc(uat_cache.slot_mask + 1, sizeof(*uat_cache.shown));
    uat_cache.pending = calloc(uat_cache.slot_mask + 1, sizeof(*uat_cache.pending));
    int rc = !uat_cache.slot || !uat_cache.shown || !uat_cache.pending ? -ENOMEM : uat_arena.fd < 0 ? -errno : 0;
    if (uat_cache.slot)
        memset(uat_cache.slot, 0, (uat_cache.slot_mask + 1) * sizeof(*uat_cache.slot));
    if (!rc && ftruncate(uat_arena.fd, (off_t)uat_arena.size))
        rc = -errno;
    if (!rc)
        rc = map_arena();
    if (rc) {
        uat_error("no memory for the cache of far memory, %zu KiB: %s; lower UAT_CACHE_SIZE", uat_arena.size >> 10,
                  strerror(-rc));
        return rc;
    }
    uat_arena.overflow = uat_arena.base;
    uat_arena.bounces = uat_arena.overflow + uat_arena.overflow_size;
    uat_arena.landing = (uint64_t *)(uat_arena.bounces + (size_t)UAT_BOUNCES * UAT_BOUNCE);
    uat_cache.ring = uat_arena.base + uat_arena.size - uat_cache.ring_size;
    if (g->far) {
        uat_far.shown = uat_cache.shown;
        uat_far.ring = uat_cache.ring;
        uat_far.mask = uat_cache.ring_mask;
    }
    return 0;
}

void uat_arena_close(void)
{
    if (uat_arena.base)
        munmap(uat_arena.base, uat_arena.size + uat_cache.ring_size);
    if (uat_arena.fd >= 0)
        close(uat_arena.fd);
    uat_arena.fd = -1;
    uat_far = (struct uat_far)CLOSED;
    free(uat_cache.slot);
    free(uat_cache.shown);
    free(uat_cache.pending);
    uat_arena.base = uat_cache.ring = NULL;
    uat_cache.slot = NULL;
    uat_cache.shown = NULL;
    uat_cache.pending = NULL;
    uat_cache.pending_count = 0;
}
