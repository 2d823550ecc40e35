/* SPDX-License-Identifier: MIT */
#include "runtime/layout.h"

#include "runtime/adaptive/cell.h"
#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"
#include "runtime/global/global.h"
#include "runtime/inspect.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/stall.h"
#include "runtime/job/tree.h"
#include "runtime/replica.h"
#include "runtime/sched/berth.h"
#include "runtime/sched/failure.h"
#include "runtime/sched/meet.h"
#include "runtime/sched/park.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/views_left.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "runtime/team/board.h"
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
    uat_stop_reserve();
    uat_meet_reserve();
    uat_berth_reserve();
    uat_failure_reserve();
    uat_views_left_reserve();
    uat_park_reserve();
    uat_sync_reserve();
    uat_sync_reserve_names();
    uat_flow_access_reserve();
    uat_flow_ring_reserve();
    uat_cells_reserve();
    uat_board_reserve();
    uat_replicate_reserve();
    uat_inspect_reserve();
    uat_segment_lay_out();
}

void *uat_layout_scratch(void)
{
    return scratch.at;
}
