/* SPDX-License-Identifier: MIT */
/*
 * The arena: the memory of the cache (its ring of places), of the overflow area, of the bounce buffers and of the words
 * in which atomics land. Adapters reach all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memfd.h"
#include "runtime/global/cache.h"
#include "runtime/global/record.h"
#include "runtime/global/settings.h"

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
static int map_arena(struct uat_global *g)
{
    const size_t unit = UINT64_C(2) << 20, apart = unit / 2, size = g->arena.size + g->cache.ring_size;
    char *p = mmap(NULL, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    size_t before = (apart - ((uintptr_t)p + g->arena.size - g->cache.ring_size)) % unit;
    if (before)
        munmap(p, before);
    p += before;
    munmap(p + size, unit - before);
    g->arena.base = p;
    if (mmap(p, g->arena.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, g->arena.fd, 0) ==
        MAP_FAILED)
        return -errno;
    off_t ring = (off_t)(g->arena.size - g->cache.ring_size);
    if (g->cache.ring_size && mmap(p + g->arena.size, g->cache.ring_size, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_FIXED | MAP_POPULATE, g->arena.fd, ring) == MAP_FAILED)
        return -errno;
    return 0;
}

void uat_arena_plan(void)
{
    struct uat_global *g = &uat_global;
    size_t slots = 1;
    while (2 * slots * UAT_BLOCK <= uat_global_settings.cache_size)
        slots *= 2;
    g->cache.ring_size = g->far ? slots * UAT_BLOCK : 0;
    g->cache.ring_mask = g->cache.ring_size - 1;
    g->arena.overflow_size = g->cache.ring_size / 4;
    g->cache.slot_mask = slots - 1;
    g->arena.size = g->arena.overflow_size + (size_t)UAT_BOUNCES * UAT_BOUNCE + LANDING + g->cache.ring_size;
}

int uat_arena_open(void)
{
    struct uat_global *g = &uat_global;
    g->arena.fd = uat_memfd("uat-cache", 0);
    g->cache.slot =
        aligned_alloc(_Alignof(struct uat_slot_of_cache), (g->cache.slot_mask + 1) * sizeof(*g->cache.slot));
    g->cache.shown = calloc(g->cache.slot_mask + 1, sizeof(*g->cache.shown));
    g->cache.pending = calloc(g->cache.slot_mask + 1, sizeof(*g->cache.pending));
    int rc = !g->cache.slot || !g->cache.shown || !g->cache.pending ? -ENOMEM : g->arena.fd < 0 ? -errno : 0;
    if (g->cache.slot)
        memset(g->cache.slot, 0, (g->cache.slot_mask + 1) * sizeof(*g->cache.slot));
    if (!rc && ftruncate(g->arena.fd, (off_t)g->arena.size))
        rc = -errno;
    if (!rc)
        rc = map_arena(g);
    if (rc) {
        uat_error("no memory for the cache of far memory, %zu KiB: %s; lower UAT_CACHE_SIZE", g->arena.size >> 10,
                  strerror(-rc));
        return rc;
    }
    g->arena.overflow = g->arena.base;
    g->bounce.buffers = g->arena.overflow + g->arena.overflow_size;
    g->arena.landing = (uint64_t *)(g->bounce.buffers + (size_t)UAT_BOUNCES * UAT_BOUNCE);
    g->cache.ring = g->arena.base + g->arena.size - g->cache.ring_size;
    if (g->far) {
        uat_far.shown = g->cache.shown;
        uat_far.ring = g->cache.ring;
        uat_far.mask = g->cache.ring_mask;
    }
    return 0;
}

void uat_arena_close(void)
{
    struct uat_global *g = &uat_global;
    if (g->arena.base)
        munmap(g->arena.base, g->arena.size + g->cache.ring_size);
    if (g->arena.fd >= 0)
        close(g->arena.fd);
    g->arena.fd = -1;
    uat_far = (struct uat_far)CLOSED;
    free(g->cache.slot);
    free(g->cache.shown);
    free(g->cache.pending);
    g->arena.base = g->cache.ring = NULL;
    g->cache.slot = NULL;
    g->cache.shown = NULL;
    g->cache.pending = NULL;
    g->cache.pending_count = 0;
}
