/* SPDX-License-Identifier: MIT */
/* The descriptor of data-flow tasks: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/flow/access.h"
#include "runtime/flow/declare.h"
#include "runtime/flow/entry.h"
#include "runtime/flow/ring.h"
#include "runtime/global/global.h"

static void reserve(void)
{
    uat_flow_access_reserve();
    uat_flow_ring_reserve();
}

static int open_flow(const struct uat_room_job *job)
{
    (void)job;
    if (uat_flow_always())
        uat_global_watch(uat_flow_watch);
    return 0;
}

const struct uat_room uat_flow_room = {
    .name = "flow", .reserve = reserve, .open = open_flow, .close = uat_flow_ring_close, .work = &uat_flow_work};
