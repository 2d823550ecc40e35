/* SPDX-License-Identifier: MIT */
/*
 * The table of rooms. One row makes a room part of the library: its areas, start and end, settings, statistics, state
 * in checkpoints and reports. segment/room.h says what a room's descriptor has, and when each member is called.
 *
 *   BOTH(room, title)      a room with settings: uat_ROOM_room in runtime/ROOM/room.c, and uat_ROOM_rows and
 *                          uat_ROOM_settings in its settings.h, which runtime/settings.c includes
 *   ROOM(room)             a room without settings
 *   SETTINGS(room, title)  settings of a folder that has no descriptor
 *
 * A room comes after the rooms that it uses. In this order rooms reserve and open, an idle worker asks them for work,
 * and the documents show their settings. Rooms of other libraries follow (uat_rooms_add() of segment/room.h).
 */
#ifndef UAT_ROOMS_H
#define UAT_ROOMS_H

#include "base/settings.h"

#define UAT_ROOMS(BOTH, ROOM, SETTINGS)                                                                                \
    BOTH(job, "The job")                                                                                               \
    BOTH(segment, "Memory of a worker")                                                                                \
    SETTINGS(deque, "Deque and thieves")                                                                               \
    ROOM(task)                                                                                                         \
    SETTINGS(torture, "Torture")                                                                                       \
    BOTH(sched, "Scheduler")                                                                                           \
    BOTH(global, "Global memory")                                                                                      \
    ROOM(sync)                                                                                                         \
    ROOM(flow)                                                                                                         \
    ROOM(team)                                                                                                         \
    BOTH(checkpoint, "Checkpoints")                                                                                    \
    BOTH(trace, "Timelines")                                                                                           \
    ROOM(replica)                                                                                                      \
    SETTINGS(ibv, "InfiniBand and RoCE")                                                                               \
    SETTINGS(sim, "Simulation")

/* Make the table known to the rooms below: uat_rooms_give(). Call this before any other function of segment/room.h. */
void uat_rooms_begin(void);

/* Lay the segment out: have each room reserve its areas. Nothing is mapped. */
void uat_layout(void);

/* The area for the transport, of UAT_TRANSPORT_SCRATCH bytes. The transport reserves no area itself. Call this after
 * uat_segment_open(). */
void *uat_layout_scratch(void);

/* All settings of the runtime, in settings.c; uatrun and uat_info read the same settings. */
extern const struct uat_settings uat_settings[];

#endif
