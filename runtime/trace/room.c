/* SPDX-License-Identifier: MIT */
/* The descriptor of timelines: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/trace/clock.h"
#include "runtime/trace/trace.h"

static int open_trace(const struct uat_room_job *job)
{
    return uat_trace_open(job->host);
}

const struct uat_room uat_trace_room = {.name = "trace",
                                        .reserve = uat_clock_reserve,
                                        .open = open_trace,
                                        .close = uat_trace_close,
                                        .reset = uat_trace_reset,
                                        .stays = true};
