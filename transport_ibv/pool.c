/* SPDX-License-Identifier: MIT */
/*
 * The pool: the segments of this worker's group, mapped in two rows. Each row is registered as one region (struct
 * uat_ibv_pool). So with any number of neighbours, a worker has three memory regions. For each queue pair, an adapter
 * needs only two keys in its cache: one for all stacks, and one for all words.
 *
 * Two other files register memory: domain.c registers this worker's own segment, for the local side of its operations;
 * bulk_memory.c registers global memory and its cache. cure.c registers only for a test, to find why a registration
 * failed.
 */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"
#include "transport_ibv/cure.h"
#include "transport_ibv/share.h"

enum { HUGE_PAGE = 2 << 20 };

/* Reserve address space for both rows. The row of stacks is mapped at one address and registered with another one. The
 * distance between these addresses is a multiple of the huge page size. So driver and adapter can use huge pages where
 * the segments have them. The same holds for the row of words if a worker's stacks take whole huge pages, as they do
 * with the default of UAT_STACK_SIZE. */
static int reserve(struct uat_ibv *ibv)
{
    struct uat_ibv_pool *pool = &ibv->pool;
    size_t neighbours = (size_t)ibv->neighbour_count;
    pool->size = HUGE_PAGE + neighbours * (ibv->segment_size - ibv->closed);
    char *map = mmap(NULL, pool->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        int rc = -errno;
        uat_error("no address space for the segments of %zu neighbours, %zu MiB: %s; see `ulimit -v`", neighbours,
                  pool->size >> 20, strerror(-rc));
        return rc;
    }
    pool->map = map;
    pool->row[UAT_IBV_STACKS] = map + ((uintptr_t)ibv->segment - (uintptr_t)map) % HUGE_PAGE;
    pool->row[UAT_IBV_WORDS] = pool->row[UAT_IBV_STACKS] + neighbours * pool->part[UAT_IBV_STACKS];
    return 0;
}

/* Take the segment that is mapped at `map`, and move its parts to their places in the rows. Unmap the segment's end,
 * because peers cannot access it. */
static int place(struct uat_ibv *ibv, char *map, size_t number)
{
    const struct uat_ibv_pool *pool = &ibv->pool;
    char *from = map;
    int rc = 0;
    for (int window = 0; window < UAT_IBV_WINDOWS && !rc; window++) {
        size_t part = pool->part[window];
        if (part &&
            mremap(from, part, part, MREMAP_MAYMOVE | MREMAP_FIXED, pool->row[window] + number * part) == MAP_FAILED)
            rc = -errno;
        else
            from += part;
    }
    if (rc)
        uat_error("moving the mapping of rank %d's segment: %s; see vm.max_map_count", ibv->neighbours[number],
                  strerror(-rc));
    if (from < map + ibv->segment_size)
        munmap(from, (size_t)(map + ibv->segment_size - from));
    return rc;
}

static int map_neighbours(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    const struct uat_attach_user user = {.host = ibv->host, .transport = "ibv", .instead = "UAT_CONNECT=worker"};
    struct uat_ibv_attach_info own, info;
    int rc = uat_ibv_attach_info_read(&own, &infos[ibv->base.rank], ibv->base.rank);
    for (int i = 0; i < ibv->neighbour_count && !rc; i++) {
        int rank = ibv->neighbours[i];
        const struct uat_endpoint segment = {&info.segment, sizeof(info.segment), infos[rank].host};
        char *map;
        rc = uat_ibv_attach_info_read(&info, &infos[rank], rank);
        if (!rc)
            rc = uat_attach_segment(&own.segment, &user, rank, &segment, &map);
        if (!rc)
            rc = place(ibv, map, (size_t)i);
    }
    return rc;
}

static int take_share(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    struct uat_ibv_attach_info first;
    int rank = ibv->neighbours[0], rc = uat_ibv_attach_info_read(&first, &infos[rank], rank);
    return rc ? rc : uat_ibv_share_take(ibv, first.segment.pid);
}

/* Register a row. Returns 0, or a negative errno after reporting the error. */
static int register_row(struct uat_ibv *ibv, enum uat_ibv_window window)
{
    /* No IBV_ACCESS_RELAXED_ORDERING: it would break the order of the operations of a chain. */
    static const int access[UAT_IBV_WINDOWS] = {[UAT_IBV_STACKS] = IBV_ACCESS_REMOTE_READ,
                                                [UAT_IBV_WORDS] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                                                                  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC};
    struct uat_ibv_pool *pool = &ibv->pool;
    size_t bytes = (size_t)ibv->neighbour_count * pool->part[window];
    uintptr_t address = (uintptr_t)ibv->segment + (window == UAT_IBV_STACKS ? 0 : ibv->read_only);
    if (!bytes)
        return 0;
    pool->mr[window] = ibv_reg_mr_iova(ibv->pd, pool->row[window], bytes, address, access[window]);
    if (pool->mr[window]) {
        pool->key[window] = pool->mr[window]->rkey;
        return 0;
    }
    int error = errno ? errno : EIO;
    uat_error(
        "cannot register the %s of the %d workers of this host, %zu KiB, with %s: %s; %s; with UAT_CONNECT=worker a "
        "worker registers only its own segment",
        window == UAT_IBV_STACKS ? "stacks" : "words", ibv->neighbour_count, bytes / 1024, ibv->port.device,
        strerror(error), uat_ibv_region_cure(ibv->pd, pool->row[window], bytes, error));
    return -error;
}

static bool can_share(const struct uat_ibv *ibv)
{
    int error = uat_ibv_share_try(ibv->pd);
    if (error)
        uat_info("each worker of this host registers the segments of all: the driver of %s cannot share a domain: %s",
                 ibv->port.device, strerror(error));
    return !error;
}

/* Open the domains and register both rows. If another worker registers the rows for the group, take domain and keys
 * from that worker instead. */
static int open_regions(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    bool leads = uat_ibv_share_leads(ibv), shared = false;
    int rc = uat_ibv_share_follows(ibv) ? take_share(ibv, infos) : 0;
    if (!rc)
        rc = uat_ibv_domains_open(ibv);
    if (!rc && leads)
        shared = can_share(ibv);
    if (leads && !shared) /* do this first, so that the other workers need not wait for the registration */
        uat_ibv_share_offer(ibv, false);
    for (int window = 0; window < UAT_IBV_WINDOWS && !rc && !ibv->pool.shared; window++)
        rc = register_row(ibv, (enum uat_ibv_window)window);
    if (shared)
        uat_ibv_share_offer(ibv, !rc);
    return rc;
}

int uat_ibv_pool_open(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    struct uat_ibv_pool *pool = &ibv->pool;
    struct timespec begin, end;
    int rc = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pool->part[UAT_IBV_STACKS] = ibv->read_only;
    pool->part[UAT_IBV_WORDS] = ibv->segment_size - ibv->closed - ibv->read_only;
    pool->row[UAT_IBV_STACKS] = ibv->segment;
    pool->row[UAT_IBV_WORDS] = (char *)ibv->segment + ibv->read_only;
    if (ibv->neighbour_count > 1)
        rc = reserve(ibv);
    if (!rc && pool->map)
        rc = map_neighbours(ibv, infos);
    if (!rc)
        rc = open_regions(ibv, infos);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ms = (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
    if (!rc)
        uat_info("attached the segments of %d neighbours and %s in %.1f ms", ibv->neighbour_count - 1,
                 pool->shared ? "took the regions of the first worker" : "registered them", ms);
    return rc;
}

void uat_ibv_pool_close(struct uat_ibv *ibv)
{
    for (int window = 0; window < UAT_IBV_WINDOWS; window++)
        if (ibv->pool.mr[window])
            ibv_dereg_mr(ibv->pool.mr[window]);
    if (ibv->pool.map)
        munmap(ibv->pool.map, ibv->pool.size);
    ibv->pool = (struct uat_ibv_pool){.shared = ibv->pool.shared}; /* for uat_ibv_domains_close() */
}
