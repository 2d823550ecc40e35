/* SPDX-License-Identifier: MIT */
#include "runtime/layout.h"

#include "runtime/rooms.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "transport/transport.h"

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
