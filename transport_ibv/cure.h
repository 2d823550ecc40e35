/* SPDX-License-Identifier: MIT */
/* Advice for failed calls of verbs, for messages. */
#ifndef UAT_IBV_CURE_H
#define UAT_IBV_CURE_H

#include <infiniband/verbs.h>

#include <stddef.h>

/* The last part of the message that refuses an adapter whose memory keys have relaxed ordering. */
#define UAT_IBV_RELAXED "on which uat's order of operations does not hold: name another adapter with UAT_NET_DEVICES"

/* The resource that the failed call needed. */
enum uat_ibv_resource {
    UAT_IBV_RESOURCE_DEVICE, /* opening a device: takes doorbell pages */
    UAT_IBV_RESOURCE_REGION, /* takes a memory key, translations and locked memory */
    UAT_IBV_RESOURCE_QUEUE,  /* takes a queue number of the adapter, and locked memory */
    UAT_IBV_RESOURCE_OTHER
};

/* Advice for a call that failed with this errno. The text is the last part of a message. The text is never freed. */
const char *uat_ibv_cure(enum uat_ibv_resource resource, int error);

/* Advice after a failed registration of `bytes` bytes at `address`. The registration did not request
 * IBV_ACCESS_RELAXED_ORDERING. error: the errno of the failure. Tests whether the adapter offers only memory keys with
 * relaxed ordering. O1 does not hold with such keys. */
const char *uat_ibv_region_cure(struct ibv_pd *pd, void *address, size_t bytes, int error);

#endif
