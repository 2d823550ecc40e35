/* SPDX-License-Identifier: MIT */
/* The descriptor of adaptive requests: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/adaptive/cell.h"
#include "runtime/adaptive/part.h"

const struct uat_room uat_adaptive_room = {.name = "adaptive", .reserve = uat_cells_reserve, .work = &uat_part_work};
