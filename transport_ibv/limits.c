/* SPDX-License-Identifier: MIT */
/* Can the device hold the job? These checks come before anything is created, so that the message names the limit. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "transport_ibv/demand.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/memlock.h"

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

/* Check a resource that all processes of this host share, of which each neighbour takes `each`. */
static int check_share(const struct uat_ibv *ibv, const char *what, const char *option, int each, int all)
{
    if ((int64_t)each * ibv->neighbour_count <= all)
        return 0;
    uat_error("%d %s for each of %d workers are more than the %d that %s has; use fewer workers on a host%s", each,
              what, ibv->neighbour_count, all, ibv->port.device, option);
    return -E2BIG;
}

int uat_ibv_limits_check_connections(struct uat_ibv *ibv)
{
    const struct ibv_device_attr *attr = &ibv->port.device_attr.orig_attr;
    struct uat_ibv_demand d = {.connections = ibv->connection_count, .neighbours = ibv->neighbour_count};
    uat_ibv_demand_reckon(&d, attr, ibv->segment_size, ibv->closed);
    int n = d.connections, keys = d.keys;
    if (2 * n + keys > UAT_IBV_NUMBERS_MAX) {
        uat_error("%d connections and %d keys of neighbours are too many: twice the former and the latter may be %d%s",
                  n, keys, UAT_IBV_NUMBERS_MAX, ibv->alone ? "; UAT_CONNECT=host needs fewer" : "");
        return -E2BIG;
    }
    int rc = check_share(ibv, "queue pairs", ibv->alone ? ", or UAT_CONNECT=host" : "", n, attr->max_qp);
    if (!rc)
        rc = check_share(ibv, "memory regions", ", or UAT_CONNECT=worker", d.regions, attr->max_mr);
    if (rc)
        return rc;
    ibv->cq_entries = d.cq_entries;
    ibv->locked = d.segments + d.queues;
    size_t own = ibv->depth * sizeof(struct uat_ibv_chain);
    uat_info(
        "%d connections for %d workers (UAT_CONNECT=%s): one to each of %d groups of workers that share a host and "
        "an adapter, or more where groups differ in size; queues of %u requests, %zu KiB of them on the side of %s",
        n, ibv->base.size, ibv->alone ? "worker" : "host", ibv->groups.count, ibv->depth, (size_t)d.queues / 1024,
        ibv->port.device);
    uat_info("%d memory regions: one of this worker's segment, for what lands here; and for each worker of the group "
             "one of its stacks, which peers READ, and one of its words, each with a key; %" PRIu64
             " KiB count as locked, %zu KiB are bookkeeping",
             d.regions, ibv->locked / 1024, (n * own + (size_t)ibv->base.size * sizeof(struct uat_ibv_peer)) / 1024);
    return uat_memlock_check(ibv->locked);
}
