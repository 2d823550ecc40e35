/* SPDX-License-Identifier: MIT */
/* The resources that one worker needs of its adapter and of its locked-memory limit. */
#ifndef UAT_IBV_DEMAND_H
#define UAT_IBV_DEMAND_H

#include <infiniband/verbs.h>

#include <stddef.h>
#include <stdint.h>

struct uat_ibv_demand {
    int connections; /* queue pairs, including the one to itself */
    int neighbours;  /* workers whose segments it registers for peers, including itself; 0: another worker does */
    int regions;     /* one of its own segment, two of the pool of its group if it registers that */
    uint64_t pages;  /* of 4 KiB that these regions translate */
    unsigned depth;  /* requests in a queue */
    unsigned cq_entries;
    uint64_t segments, queues; /* bytes that count as locked */
};

/* The depth of a send queue on this device. A device with less than UAT_IBV_DEPTH_MIN cannot be used. */
unsigned uat_ibv_demand_depth(const struct ibv_device_attr *attr);

/* Compute the other fields from d->connections and d->neighbours. segment: bytes of each segment. closed: bytes at its
 * end that peers cannot access. */
void uat_ibv_demand_reckon(struct uat_ibv_demand *d, const struct ibv_device_attr *attr, size_t segment, size_t closed);

#endif
