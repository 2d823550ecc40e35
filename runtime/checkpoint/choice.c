/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/folder.h"

#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/job/self.h"

int uat_choice_make(uint64_t *number)
{
    int rc = uat_folder_open();
    if (!rc && uat_self.rank == 0)
        rc = uat_folder_lock();
    *number = uat_checkpoint_settings.number;
    if (!rc && *number == 0 && uat_checkpoint_settings.restart != UAT_RESTART_NO)
        rc = uat_folder_latest(number);
    if (!rc && *number == 0 && uat_checkpoint_settings.restart == UAT_RESTART_YES) {
        uat_error("checkpoint: %s has no complete checkpoint to go on from", uat_checkpoint_settings.folder);
        rc = -ENOENT;
    }
    return rc;
}

void uat_choice_name_older(uint64_t number)
{
    for (uint64_t older = number; older-- > 1;)
        if (uat_folder_has(older)) {
            uat_error("checkpoint: %" PRIu64 " in %s is complete, too; UAT_CHECKPOINT=...,number=%" PRIu64
                      " goes on from it",
                      older, uat_checkpoint_settings.folder, older);
            return;
        }
}
