/* SPDX-License-Identifier: MIT */
/* A folder in memory for the checkpoints of one job (uatrun --resizable). It exists as long as the job. */
#ifndef UAT_LAUNCHER_SCRATCH_H
#define UAT_LAUNCHER_SCRATCH_H

#include <stdbool.h>

/* Make the folder, in /dev/shm, for this user alone. Returns its path, or NULL after reporting the error. */
const char *uat_scratch_make(void);

/* Remove the folder with all that is in it. No worker may run any more. Returns false if there is none. */
bool uat_scratch_remove(void);

#endif
