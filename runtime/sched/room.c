/* SPDX-License-Identifier: MIT */
/* The scheduler's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/sched/berth.h"
#include "runtime/sched/failure.h"
#include "runtime/sched/meet.h"
#include "runtime/sched/park.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/stop.h"
#include "runtime/sched/views_left.h"

static void reserve(void)
{
    uat_steal_reserve();
    uat_stop_reserve();
    uat_meet_reserve();
    uat_berth_reserve();
    uat_failure_reserve();
    uat_views_left_reserve();
    uat_park_reserve();
}

const struct uat_room uat_sched_room = {.name = "sched", .reserve = reserve};
