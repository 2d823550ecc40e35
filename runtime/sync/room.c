/* SPDX-License-Identifier: MIT */
/* The descriptor of the objects that tasks wait for: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/sync/waitobj.h"

static void reserve(void)
{
    uat_sync_reserve();
    uat_sync_reserve_names();
}

const struct uat_room uat_sync_room = {.name = "sync", .reserve = reserve};
