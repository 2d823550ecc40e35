/* SPDX-License-Identifier: MIT */
/* The descriptor of checkpoints: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/checkpoint/checkpoint.h"

static int open_checkpoint(const struct uat_room_job *job)
{
    (void)job;
    return uat_checkpoint_open();
}

/* A restart chooses its checkpoint long before the rooms open: startup.c also calls uat_checkpoint_close(). */
const struct uat_room uat_checkpoint_room = {.name = "checkpoint",
                                             .open = open_checkpoint,
                                             .reset = uat_checkpoint_reset,
                                             .stays = true, /* the results of earlier runs; main()'s functions */
                                             .save = uat_blobs_save,
                                             .restore = uat_blobs_take,
                                             .sections = 1 << UAT_SECTION_BLOB};
