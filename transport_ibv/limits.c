/* SPDX-License-Identifier: MIT */
/* Whether a device can hold the job: asked before anything is created, so that the answer names the limit. */
#include "transport_ibv/ibv.h"


#include "base/log.h"
#include "transport_ibv/endpoint.h"

/* The device's own share of one send queue entry: an RDMA or atomic request with one buffer takes 64 to 128 bytes. */
enum { REQUEST_BYTES = 128 };

static unsigned smaller(unsigned a, int b)
{
    return b >= 0 && (unsigned)b < a ? (unsigned)b : a;
}

int uat_ibv_limits_check(struct uat_ibv *ibv)
{
    const struct ibv_device_attr *attr = &ibv->port.device_attr.orig_attr;
    const char *device = ibv->port.device;
    int size = ibv->base.size;
    if (size > UAT_IBV_PEERS_MAX) {
        uat_error("%d workers are too many for one queue pair to each: at most %d", size, UAT_IBV_PEERS_MAX);
        return -E2BIG;
    }
    if (size > attr->max_qp) {
        uat_error(
            "%d workers need %d queue pairs each, but %s has %d for all processes of this host; use fewer workers",
            size, size, device, attr->max_qp);
        return -E2BIG;
    }
    if (attr->max_mr < 1 || ibv->segment_size > attr->max_mr_size) {
        uat_error("%s registers at most %d regions of %llu bytes, the segment has %zu; make UAT_STACK_SIZE and "
                  "UAT_HEAP_SIZE smaller",
                  device, attr->max_mr, (unsigned long long)attr->max_mr_size, ibv->segment_size);
        return -E2BIG;
    }
    ibv->depth = smaller(UAT_IBV_DEPTH, attr->max_qp_wr);
    if (ibv->depth < UAT_IBV_DEPTH_MIN) {
        uat_error("%s allows %d work requests in a queue, uat needs %d", device, attr->max_qp_wr, UAT_IBV_DEPTH_MIN);
        return -E2BIG;
    }
    ibv->cq_entries = smaller(UAT_IBV_CQ_MAX, attr->max_cqe);
    if ((unsigned)size <= ibv->cq_entries / ibv->depth)
        ibv->cq_entries = (unsigned)size * ibv->depth;
    size_t own = ibv->depth * sizeof(struct uat_ibv_chain), queue = ibv->depth * (size_t)REQUEST_BYTES;
    uat_info("%d queue pairs of %u requests take about %zu KiB, %zu KiB of it on the side of %s", size, ibv->depth,
             (size_t)size * (own + queue) / 1024, (size_t)size * queue / 1024, device);
    return 0;
}
