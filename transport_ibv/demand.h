/* SPDX-License-Identifier: MIT */
/* What one worker of a job asks of its adapter and of its limit of locked memory. */
#ifndef UAT_IBV_DEMAND_H
#define UAT_IBV_DEMAND_H

#include <infiniband/verbs.h>

#include <stddef.h>
#include <stdint.h>

struct uat_ibv_demand {
    int connections; /* queue pairs, that to oneself included */
    int neighbours;  /* workers whose segments it registers, itself included */
    int keys;        /* of regions that peers reach: two windows for each neighbour */
    int regions;     /* those and the own segment */
    unsigned depth;  /* requests in a queue */
    unsigned cq_entries;
    uint64_t segments, queues; /* bytes that count as locked */
};

/* Requests in a send queue of this device; less than UAT_IBV_DEPTH_MIN: it cannot be used. */
unsigned uat_ibv_demand_depth(const struct ibv_device_attr *attr);

/* Fill what follows from d->connections and d->neighbours: segments have so many bytes, of which the last `closed` are
 * not reached by peers. */
void uat_ibv_demand_reckon(struct uat_ibv_demand *d, const struct ibv_device_attr *attr, size_t segment, size_t closed);

#endif
