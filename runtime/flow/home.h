/* SPDX-License-Identifier: MIT */
/*
 * The host on which an entry should preferably run. It is the host that keeps the largest datum that the entry's task
 * writes, or the host that uat_flow_set_home() named. The bits UAT_FLOW_HOMES of the entry's name give this host: 1 +
 * the host's number modulo 15, or 0 if any host will do. These bits are a preference only: a wrong host costs
 * transfers, and no result depends on the bits.
 */
#ifndef UAT_FLOW_HOME_H
#define UAT_FLOW_HOME_H

#include "runtime/flow/ledger.h"
#include "runtime/global/global.h"

/* Returns the bits for the host that keeps the datum at p, or 0 if p is not in global memory or no memory is far. */
unsigned uat_flow_home(const void *p);

/* Returns the bits for a task that is spawned into the flow with these accesses. uat_flow_home_far() is for jobs with
 * far memory. */
unsigned uat_flow_home_far(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n);
static inline unsigned uat_flow_home_of(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n)
{
    return uat_global_is_far() ? uat_flow_home_far(flow, access, n) : 0;
}

/* Should the entry of this name preferably run on a host other than this worker's? uat_flow_home_is_elsewhere() is for
 * names that have a home. */
bool uat_flow_home_is_elsewhere(uint64_t name);
static inline bool uat_flow_is_elsewhere(uint64_t name)
{
    return (name & UAT_FLOW_HOMES) != 0 && uat_flow_home_is_elsewhere(name);
}

#endif
