/* SPDX-License-Identifier: MIT */
#include "runtime/global/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "runtime/global/state.h"

struct uat_arena uat_arena = {.fd = -1};
enum { LANDING = 4096 /* bytes reserved for the landing words */ };

/*
 * Map the arena, and right after it the ring a second time. The ring starts 1 MiB after a multiple of 2 MiB. So a
 * byte's place in the ring and a byte at the same offset in any array never collide in a first-level cache. The reason
 * is in place.c: bit 20 is 1 in one address and 0 in the other, and bit 15 is the same in both.
 */
static int map_arena(void)
{
    const size_t unit = UINT64_C(2) << 20, apart = unit / 2, size = uat_arena.size + uat_arena.ring_size;
    char *p = mmap(NULL, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    size_t before = (apart - ((uintptr_t)p + uat_arena.size - uat_arena.ring_size)) % unit;
    if (before)
        munmap(p, before);
    p += before;
    munmap(p + size, unit - before);
    uat_arena.base = p;
    /* Over shared memory the pages come at their first use: there the adapters are made up (UAT_GLOBAL_HOSTS), and most
     * such jobs are tests, which use few pages. A measurement's first checkouts take these faults. */
    int flags = MAP_SHARED | MAP_FIXED | (uat_self.transport->class_->bulk->maps ? 0 : MAP_POPULATE);
    if (mmap(p, uat_arena.size, PROT_READ | PROT_WRITE, flags, uat_arena.fd, 0) == MAP_FAILED)
        return -errno;
    off_t ring = (off_t)(uat_arena.size - uat_arena.ring_size);
    if (uat_arena.ring_size &&
        mmap(p + uat_arena.size, uat_arena.ring_size, PROT_READ | PROT_WRITE, flags, uat_arena.fd, ring) == MAP_FAILED)
        return -errno;
    return 0;
}

void uat_arena_plan(size_t ring_size)
{
    uat_arena.ring_size = ring_size;
    uat_arena.overflow_size = ring_size / 4;
    uat_arena.size = uat_arena.overflow_size + (size_t)UAT_BOUNCES * UAT_BOUNCE + LANDING + ring_size;
}

int uat_arena_open(void)
{
    uat_arena.fd = uat_memfd("uat-cache", 0);
    int rc = uat_arena.fd < 0 || ftruncate(uat_arena.fd, (off_t)uat_arena.size) ? -errno : map_arena();
    if (rc) {
        uat_error("no memory for the cache of far memory, %zu KiB: %s; lower UAT_CACHE_SIZE", uat_arena.size >> 10,
                  strerror(-rc));
        return rc;
    }
    uat_arena.overflow = uat_arena.base;
    uat_arena.bounces = uat_arena.overflow + uat_arena.overflow_size;
    uat_arena.landing = (uint64_t *)(uat_arena.bounces + (size_t)UAT_BOUNCES * UAT_BOUNCE);
    uat_arena.ring = uat_arena.base + uat_arena.size - uat_arena.ring_size;
    return 0;
}

void uat_arena_close(void)
{
    if (uat_arena.base)
        munmap(uat_arena.base, uat_arena.size + uat_arena.ring_size);
    if (uat_arena.fd >= 0)
        close(uat_arena.fd);
    uat_arena = (struct uat_arena){.fd = -1};
}
