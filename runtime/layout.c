/* SPDX-License-Identifier: MIT */
#include "runtime/layout.h"

#include "runtime/global/global.h"
#include "runtime/inspect.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/stall.h"
#include "runtime/job/tree.h"
#include "runtime/replica.h"
#include "runtime/sched/failure.h"
#include "runtime/sched/join.h"
#include "runtime/sched/park.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "runtime/trace/clock.h"
#include "transport/transport.h"

static struct uat_area scratch = {.name = "the transport's", .size = UAT_TRANSPORT_SCRATCH, .peers = UAT_PEERS_CHANGE};

void uat_layout(void)
{
    uat_segment_begin();
    uat_segment_reserve(&scratch);
    uat_call_reserve();
    uat_collective_reserve();
    uat_tree_reserve();
    uat_stall_reserve();
    uat_clock_reserve();
    uat_global_reserve();
    uat_steal_reserve();
    uat_join_reserve();
    uat_failure_reserve();
    uat_park_reserve();
    uat_sync_reserve();
    uat_replicate_reserve();
    uat_inspect_reserve();
    uat_segment_lay_out();
}

void *uat_layout_scratch(void)
{
    return scratch.at;
}
