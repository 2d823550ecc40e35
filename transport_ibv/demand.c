/* SPDX-License-Identifier: MIT */
#include "transport_ibv/demand.h"

#include <unistd.h>

#include "transport_ibv/ibv.h"

/*
 * REQUEST_BYTES: bytes of one send queue entry in the device's format. With send_ops_flags an entry has 64 or 128
 * bytes. For mlx5 the sum is 16 (control), 16 (address), 16 (atomic) and a header with 64 (inline) bytes, rounded up to
 * blocks of 64. Without send_ops_flags mlx5 reserves space for any operation, about 192 bytes in all.
 */
enum { REQUEST_BYTES = 128, COMPLETION_BYTES = 64 };

static unsigned smaller(unsigned a, int b)
{
    return b >= 0 && (unsigned)b < a ? (unsigned)b : a;
}

unsigned uat_ibv_demand_depth(const struct ibv_device_attr *attr)
{
    return smaller(UAT_IBV_DEPTH, attr->max_qp_wr);
}

void uat_ibv_demand_reckon(struct uat_ibv_demand *d, const struct ibv_device_attr *attr, size_t segment, size_t closed)
{
    d->regions = 1 + (d->neighbours ? UAT_IBV_WINDOWS : 0);
    d->depth = uat_ibv_demand_depth(attr);
    d->cq_entries = smaller(UAT_IBV_CQ_MAX, attr->max_cqe);
    if ((unsigned)d->connections <= d->cq_entries / d->depth)
        d->cq_entries = (unsigned)d->connections * d->depth;
    d->segments = segment + (uint64_t)d->neighbours * (segment - closed);
    d->page = (size_t)sysconf(_SC_PAGESIZE);
    d->pages = d->segments / d->page;
    d->queues = (uint64_t)d->connections * d->depth * REQUEST_BYTES + (uint64_t)d->cq_entries * COMPLETION_BYTES;
}
