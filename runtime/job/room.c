/* SPDX-License-Identifier: MIT */
/* The job's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include <string.h>

#include "base/memory.h"
#include "base/virtual.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/crew.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/job/tree.h"

static void reserve(void)
{
    uat_call_reserve();
    uat_collective_reserve();
    uat_crew_reserve();
    uat_tree_reserve();
    uat_stall_reserve();
}

static void count(uat_stats_detail_t *s)
{
    const struct uat_transport *transport = uat_self.transport;
    s->ops_read = transport->ops[UAT_OP_READ];
    s->ops_write = transport->ops[UAT_OP_WRITE];
    s->ops_fetch_add = transport->ops[UAT_OP_FETCH_ADD];
    s->ops_cmp_swap = transport->ops[UAT_OP_CMP_SWAP];
    s->round_trips = transport->round_trips;
    s->requests_read = transport->requests[UAT_OP_READ];
    s->requests_write = transport->requests[UAT_OP_WRITE];
    s->requests_fetch_add = transport->requests[UAT_OP_FETCH_ADD];
    s->requests_cmp_swap = transport->requests[UAT_OP_CMP_SWAP];
    s->doorbells = transport->doorbells;
    if (!UAT_IS_VIRTUAL()) { /* a simulation's counters depend on nothing but its settings */
        s->minor_faults = uat_memory_minor_faults();
        s->page_table_bytes = uat_memory_page_tables();
    }
}

/* What barriers count begins at 0 again. So the workers then meet as at the start, by uat_bootstrap_barrier(), which
 * uses no word of the segment. What the process says once, and how long workers have waited, stays. The scheduler
 * resets the thief's notice. */
static void reset(void)
{
    struct uat_transport *transport = uat_self.transport;
    uat_call_reset();
    uat_collective_reset();
    uat_tree_reset();
    uat_crew_reset();
    memset(transport->ops, 0, sizeof(transport->ops));
    memset(transport->requests, 0, sizeof(transport->requests));
    transport->doorbells = transport->round_trips = 0;
}

const struct uat_room uat_job_room = {.name = "job", .reserve = reserve, .count = count, .reset = reset, .stays = true};
