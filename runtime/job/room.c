/* SPDX-License-Identifier: MIT */
/* The job's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/stall.h"
#include "runtime/job/tree.h"

static void reserve(void)
{
    uat_call_reserve();
    uat_collective_reserve();
    uat_tree_reserve();
    uat_stall_reserve();
}

const struct uat_room uat_job_room = {.name = "job", .reserve = reserve};
