/* SPDX-License-Identifier: MIT */
/* Global memory's descriptor: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/global/state.h"
#include "runtime/job/fault.h"
#include "runtime/job/self.h"

static int open_global(const struct uat_room_job *job)
{
    const struct uat_global_config config = {
        .transport = uat_self.transport, .strict = job->torture, .late = job->delays, .seed = job->seed};
    int rc = uat_global_prepare(&config, job->host_of);
    if (!rc)
        uat_fault_describe(uat_global_explain);
    return rc;
}

const struct uat_room uat_global_room = {.name = "global",
                                         .reserve = uat_global_reserve,
                                         .open = open_global,
                                         .close = uat_global_close,
                                         .count = uat_global_count};
