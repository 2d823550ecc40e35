/* SPDX-License-Identifier: MIT */
#include "runtime/rooms.h"

#include "runtime/segment/room.h"

#define DECLARE(room)              extern const struct uat_room uat_##room##_room;
#define DECLARE_BOTH(room, title)  DECLARE(room)
#define POINT(room)                &uat_##room##_room,
#define POINT_BOTH(room, title)    POINT(room)
#define NO_DESCRIPTOR(room, title) /* settings only */

UAT_ROOMS(DECLARE_BOTH, DECLARE, NO_DESCRIPTOR)

static const struct uat_room *const table[] = {UAT_ROOMS(POINT_BOTH, POINT, NO_DESCRIPTOR) NULL};

void uat_rooms_begin(void)
{
    uat_rooms_give(table);
}
