/* SPDX-License-Identifier: MIT */
/* The descriptor of adaptive requests: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/adaptive/cell.h"
#include "runtime/adaptive/part.h"

static int open_adaptive(const struct uat_room_job *job)
{
    (void)job;
    uat_part_open();
    return 0;
}

const struct uat_room uat_adaptive_room = {.name = "adaptive", .reserve = uat_cells_reserve, .open = open_adaptive};
