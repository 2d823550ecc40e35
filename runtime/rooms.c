/* SPDX-License-Identifier: MIT */
#include "runtime/rooms.h"

#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "transport/transport.h"

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

static struct uat_area scratch = {.name = "the transport's", .size = UAT_TRANSPORT_SCRATCH, .peers = UAT_PEERS_CHANGE};

void uat_layout(void)
{
    uat_rooms_begin();
    uat_segment_begin();
    uat_segment_reserve(&scratch);
    UAT_EACH_ROOM(room, reserve)
    (*room)->reserve();
    uat_segment_lay_out();
}

void *uat_layout_scratch(void)
{
    return scratch.at;
}
