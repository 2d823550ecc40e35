/* SPDX-License-Identifier: MIT */
/* Memory for bulk data: the worker's own arena, and the memory that a leader exposes to all workers. Both are locked
 * memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport_ibv/bulk.h"
#include "transport_ibv/cure.h"
#include "transport_ibv/host.h"

/* Check all limits before any registration, so that the message can give all numbers. Of the `bytes` bytes, `reserved`
 * bytes are reserved already, so the available memory no longer contains them. what: what needs the bytes, for
 * messages, such as "the cache of far memory". less: advice on how to need fewer bytes. */
static int check_room(const struct uat_ibv_bulk *b, uint64_t bytes, uint64_t reserved, const char *what,
                      const char *less)
{
    uint64_t limit = uat_memlock_limit(), locked = b->ibv->locked + b->locked, available;
    const struct ibv_device_attr *attr = &b->ibv->port.device_attr.orig_attr;
    char from[UAT_MEMORY_LIMIT_MAX];
    available = uat_memory_available("", true, from);
    if (locked + bytes > limit) {
        uat_error("%s, %" PRIu64 " KiB, must be locked memory, beside the %" PRIu64 " KiB that this worker has locked, "
                  "but RLIMIT_MEMLOCK is %" PRIu64 " KiB; " UAT_MEMLOCK_ADVICE "; or %s",
                  what, bytes >> 10, locked >> 10, limit >> 10, less);
        return -ENOMEM;
    }
    if (bytes - reserved > available) {
        uat_error("%s, %" PRIu64 " MiB, must be locked memory, but %s leaves only %" PRIu64 " MiB; %s", what,
                  bytes >> 20, from, available >> 20, less);
        return -ENOMEM;
    }
    if (bytes > attr->max_mr_size) {
        uat_error("%s, %" PRIu64 " MiB: %s registers at most %" PRIu64 " MiB as one region; %s", what, bytes >> 20,
                  b->ibv->port.device, (uint64_t)attr->max_mr_size >> 20, less);
        return -E2BIG;
    }
    return 0;
}

static struct ibv_mr *register_memory(struct uat_ibv_bulk *b, void *address, size_t bytes, const char *what, int access)
{
    struct ibv_mr *mr = ibv_reg_mr(b->ibv->pd, address, bytes, access);
    if (mr) {
        b->locked += bytes;
        return mr;
    }
    int error = errno ? errno : EIO;
    uat_error("cannot register %s, %zu KiB, with %s: %s; %s", what, bytes >> 10, b->ibv->port.device, strerror(error),
              uat_ibv_region_cure(b->ibv->pd, address, bytes, error));
    errno = error;
    return NULL;
}

int uat_ibv_bulk_arena(struct uat_ibv_bulk *b, void *arena, size_t bytes)
{
    static const char what[] = "the cache of far memory";
    int rc = check_room(b, bytes, 0, what, "lower UAT_CACHE_SIZE");
    if (rc)
        return rc;
    /* Relaxed order, for the reason in register_segment() of domain.c: only this worker's own READs land here. */
    b->arena = register_memory(b, arena, bytes, what, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
    return b->arena ? 0 : -errno;
}

static const char what_exposed[] = "the global memory of this host";

int uat_ibv_bulk_room(struct uat_bulk *head, size_t bytes, bool reserved)
{
    return check_room(uat_ibv_bulk_of(head), bytes, reserved ? bytes : 0, what_exposed,
                      "allocate less, lower UAT_GLOBAL_SIZE, or use more hosts");
}

int uat_ibv_bulk_expose(struct uat_bulk *head, int fd, void *address, size_t bytes, struct uat_bulk_key *key)
{
    /* No IBV_ACCESS_RELAXED_ORDERING: it would break B1 and B2. */
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    (void)fd;
    struct uat_ibv_bulk_region *region = calloc(1, sizeof(*region));
    if (!region) {
        uat_error("no memory for the description of a region");
        return -ENOMEM;
    }
    region->mr = register_memory(b, address, bytes, what_exposed, access);
    if (!region->mr) {
        int rc = -errno;
        free(region);
        return rc;
    }
    region->next = b->regions;
    b->regions = region;
    *key = (struct uat_bulk_key){.base = (uintptr_t)address, .rkey = region->mr->rkey};
    uat_info("global memory: %zu MiB registered with %s, %" PRIu64 " MiB locked by this worker", bytes >> 20,
             b->ibv->port.device, (b->ibv->locked + b->locked) >> 20);
    return 0;
}

void uat_ibv_bulk_conceal(struct uat_bulk *head, void *address)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    for (struct uat_ibv_bulk_region **p = &b->regions; *p; p = &(*p)->next) {
        struct uat_ibv_bulk_region *region = *p;
        if (region->mr->addr != address)
            continue;
        *p = region->next;
        b->locked -= region->mr->length;
        ibv_dereg_mr(region->mr);
        free(region);
        return;
    }
}

void uat_ibv_bulk_memory_close(struct uat_ibv_bulk *b)
{
    while (b->regions)
        uat_ibv_bulk_conceal(&b->head, b->regions->mr->addr);
    if (b->arena)
        ibv_dereg_mr(b->arena);
}
