/* SPDX-License-Identifier: MIT */
/* The deque's memory: its ring, and the owner's entries. A guard page follows the entries. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "deque/owner.h"

uintptr_t uat_deque_closed_entry[1];

void uat_ring_init(struct uat_ring *ring)
{
    memset(ring, 0, sizeof(*ring));
    for (uint64_t i = 0; i < UAT_RING_SLOTS; i++) /* start as if the indices of an earlier round had been
                                                   * acknowledged */
        ring->ack[i] = uat_ack(i - UAT_RING_SLOTS, UAT_ACK_ABORTED);
}

/* Map `bytes`, rounded up to whole pages, and a guard page after them. */
static void *map_guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (mprotect(p + size, page, PROT_NONE)) {
        munmap(p, size + page);
        return NULL;
    }
    return p;
}

static void unmap_guarded(void *p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(p, (bytes + page - 1) / page * page + page);
}

int uat_deque_open(struct uat_deque *d, struct uat_ring *ring, size_t capacity, const struct uat_deque_user *user)
{
    size_t page_entries = (size_t)sysconf(_SC_PAGESIZE) / sizeof(uintptr_t);
    capacity = (capacity + page_entries - 1) / page_entries * page_entries; /* the guard follows the last entry */
    uintptr_t *entries = map_guarded(capacity * sizeof(*entries));
    uint64_t *index = map_guarded(capacity * sizeof(*index));
    if (!entries || !index) {
        if (entries)
            unmap_guarded(entries, capacity * sizeof(*entries));
        if (index)
            unmap_guarded(index, capacity * sizeof(*index));
        return -ENOMEM;
    }
    *d = (struct uat_deque){.ring = ring, .entries = entries, .index = index, .capacity = capacity, .user = *user};
    uat_deque_reset(d);
    return 0;
}

void uat_deque_reset(struct uat_deque *d)
{
    uat_ring_init(d->ring);
    *d = (struct uat_deque){.top = d->entries,
                            .ring = d->ring,
                            .giver = d->giver,
                            .entries = d->entries,
                            .index = d->index,
                            .capacity = d->capacity,
                            .placing = d->placing,
                            .user = d->user};
    uat_deque_start(d);
}

void uat_deque_close(struct uat_deque *d)
{
    if (!d->entries)
        return;
    unmap_guarded(d->entries, d->capacity * sizeof(*d->entries));
    unmap_guarded(d->index, d->capacity * sizeof(*d->index));
    *d = (struct uat_deque)UAT_DEQUE_CLOSED;
}

bool uat_deque_is_overflow(const struct uat_deque *d, uintptr_t address)
{
    uintptr_t end = (uintptr_t)(d->entries + d->capacity);
    return d->entries && address >= end && address < end + (uintptr_t)sysconf(_SC_PAGESIZE);
}
