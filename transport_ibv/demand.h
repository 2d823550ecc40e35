/* SPDX-License-Identifier: MIT */
/* The resources that one worker needs of its adapter and of its locked-memory limit. */
#ifndef UAT_IBV_DEMAND_H
#define UAT_IBV_DEMAND_H

#include <infiniband/verbs.h>

#include <stddef.h>
#include <stdint.h>

struct uat_ibv_demand {
    int connections; /* queue pairs, including the pair to the worker itself */
    int neighbours;  /* number of workers, itself included, whose segments this worker registers for peers; 0: another
                      * worker registers the segments */
    int regions;     /* memory regions: one of its own segment; two more if it registers its group's pool */
    size_t page;     /* bytes of the kernel's smallest pages */
    uint64_t pages;  /* such pages in these regions; each page takes a translation */
    unsigned depth;  /* requests in a queue */
    unsigned cq_entries;
    uint64_t segments, queues; /* bytes that count as locked */
};

/* The depth of a send queue on this device. A device with less than UAT_IBV_DEPTH_MIN cannot be used. */
unsigned uat_ibv_demand_depth(const struct ibv_device_attr *attr);

/* Compute the other fields from d->connections and d->neighbours. segment: bytes of each segment. closed: bytes at each
 * segment's end that peers cannot access. */
void uat_ibv_demand_reckon(struct uat_ibv_demand *d, const struct ibv_device_attr *attr, size_t segment, size_t closed);

#endif
