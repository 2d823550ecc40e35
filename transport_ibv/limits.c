/* SPDX-License-Identifier: MIT */
/* Are the device's limits sufficient for the job? These checks run before queues and regions are created, so that a
 * message can name the limit. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/demand.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/host.h"
#include "transport_ibv/share.h"

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* With this number of pages on a host, the worker warns. The translations of these pages take 128 MiB. 42 workers with
 * default settings have this number of pages. */
#define PAGES_MANY ((uint64_t)1 << 24)

int uat_ibv_limits_check_segment(struct uat_ibv *ibv)
{
    const struct ibv_device_attr *attr = &ibv->port.device_attr.orig_attr;
    if (attr->max_mr < 1 || ibv->segment_size > attr->max_mr_size) {
        uat_error("%s registers at most %d regions of %llu bytes, the segment has %zu; make UAT_STACK_SIZE and "
                  "UAT_HEAP_SIZE smaller",
                  ibv->port.device, attr->max_mr, (unsigned long long)attr->max_mr_size, ibv->segment_size);
        return -E2BIG;
    }
    ibv->depth = uat_ibv_demand_depth(attr);
    if (ibv->depth < UAT_IBV_DEPTH_MIN) {
        uat_error("%s allows %d work requests in a queue, uat needs %d", ibv->port.device, attr->max_qp_wr,
                  UAT_IBV_DEPTH_MIN);
        return -E2BIG;
    }
    return 0;
}

/* Check a resource of the adapter. All processes of this host share `all` units. The job's workers on this host need
 * `needed` units. */
static int check_share(const struct uat_ibv *ibv, const char *what, const char *option, int64_t needed, int all)
{
    if (needed <= all)
        return 0;
    uat_error("the %d workers of this host need %" PRId64 " %s, more than the %d that %s has; use fewer workers on a "
              "host%s",
              ibv->sharing, needed, what, all, ibv->port.device, option);
    return -E2BIG;
}

/* The last part of a message: how to need fewer connections. */
static const char *fewer(const struct uat_ibv *ibv)
{
    return ibv->alone             ? ", or UAT_CONNECT=host"
           : ibv->groups.apart[1] ? ", or start the workers of a host in one PID namespace (one container, or "
                                    "docker's --pid=host)"
                                  : "";
}

/* On rank 0, warn that workers of one host cannot map each other's segments. The job runs, but with more
 * connections. */
static void warn_apart(const struct uat_ibv *ibv)
{
    const int *apart = ibv->groups.apart;
    if (apart[1] && ibv->base.rank == 0)
        uat_warn(
            "ranks %d and %d use one adapter of one host, but are in different PID namespaces (containers?) and cannot "
            "map each other's memory, so each worker needs %d connections; start the workers of a host in one "
            "container, or share its PID namespace (docker --pid=host)",
            apart[0], apart[1], ibv->connection_count);
}

/* Does the kernel use huge pages for shared memory? If this is unknown, returns true. */
static bool has_huge_pages(void)
{
    char line[128] = "";
    FILE *file = fopen(HUGE_PAGES, "re");
    bool known = file && fgets(line, sizeof(line), file);
    if (file)
        fclose(file);
    return !known || (!strstr(line, "[never]") && !strstr(line, "[deny]"));
}

/* Warn if the adapter needs many translations. A translation takes 8 bytes; there is one for each page that a worker of
 * this host registers. */
static void warn_of_small_pages(const struct uat_ibv *ibv, uint64_t pages, size_t page)
{
    uint64_t workers = (uint64_t)ibv->neighbour_count;
    pages = uat_ibv_share_leads(ibv) ? pages + (workers - 1) * (ibv->segment_size / page) : pages * workers;
    if (ibv->neighbours[0] == ibv->base.rank && pages >= PAGES_MANY && !has_huge_pages())
        uat_warn("%s translates %" PRIu64
                 " million pages of %zu KiB for the %d workers of this host, which takes %" PRIu64
                 " MiB and time at the start; " HUGE_PAGES " allows no huge pages: with `advise` most pages have 2 MiB",
                 ibv->port.device, pages >> 20, page >> 10, ibv->neighbour_count, pages * 8 >> 20);
}

int uat_ibv_limits_check_connections(struct uat_ibv *ibv)
{
    const struct ibv_device_attr *attr = &ibv->port.device_attr.orig_attr;
    struct uat_ibv_demand d = {.connections = ibv->connection_count,
                               .neighbours = uat_ibv_share_follows(ibv) ? 0 : ibv->neighbour_count};
    uat_ibv_demand_reckon(&d, attr, ibv->segment_size, ibv->closed);
    int n = d.connections;
    uint64_t row = (uint64_t)ibv->neighbour_count * (ibv->segment_size - ibv->closed);
    if (n > UAT_IBV_ENDS_MAX) {
        uat_error("%d connections are too many: a worker can publish the numbers of %d; use fewer workers%s", n,
                  UAT_IBV_ENDS_MAX, fewer(ibv));
        return -E2BIG;
    }
    if (row > attr->max_mr_size) {
        uat_error("the segments of the %d workers of this host have %" PRIu64 " MiB, but %s registers at most %" PRIu64
                  " MiB as one region; make UAT_STACK_SIZE and UAT_HEAP_SIZE smaller, or use UAT_CONNECT=worker",
                  ibv->neighbour_count, row >> 20, ibv->port.device, (uint64_t)attr->max_mr_size >> 20);
        return -E2BIG;
    }
    /* If the workers of a host form several groups, assume that each worker has as many connections as this one. */
    ibv->group_connections = ibv->sharing > ibv->neighbour_count
                                 ? (int64_t)n * ibv->sharing
                                 : uat_ibv_groups_connections(&ibv->groups, ibv->base.rank);
    int rc = check_share(ibv, "queue pairs", fewer(ibv), ibv->group_connections, attr->max_qp);
    if (!rc)
        rc = check_share(ibv, "memory regions", "", (int64_t)d.regions * ibv->sharing, attr->max_mr);
    if (rc)
        return rc;
    warn_apart(ibv);
    ibv->cq_entries = d.cq_entries;
    ibv->locked = d.segments + d.queues;
    size_t own = ibv->depth * sizeof(struct uat_ibv_chain);
    uat_info(
        "%d connections for %d workers (UAT_CONNECT=%s): one to each of %d groups of workers that share a host and "
        "an adapter, or more where groups differ in size; queues of %u requests, %zu KiB of them on the side of %s",
        n, ibv->base.size, ibv->alone ? "worker" : "host", ibv->groups.count, ibv->depth, (size_t)d.queues / 1024,
        ibv->port.device);
    uat_info("%d memory regions: one of this worker's segment, for its own operations%s; %" PRIu64
             " pages of %zu KiB, %" PRIu64 " KiB count as locked, %zu KiB are bookkeeping",
             d.regions,
             d.neighbours ? "; and of the group's segments one of all stacks, which peers READ, and one of all words"
                          : "",
             d.pages, d.page >> 10, ibv->locked / 1024,
             (n * own + (size_t)ibv->base.size * sizeof(struct uat_ibv_peer)) / 1024);
    warn_of_small_pages(ibv, d.pages, d.page);
    return uat_memlock_check(ibv->locked);
}
