/* SPDX-License-Identifier: MIT */
/* The choice of the checkpoint from which a job goes on. */
#ifndef UAT_CHECKPOINT_CHOICE_H
#define UAT_CHECKPOINT_CHOICE_H

#include <stdint.h>

/* Open FOLDER, lock it on rank 0, and choose the checkpoint's number by the settings and by `latest`; 0: the job begins
 * anew. Returns 0 or a negative errno, which has been reported. */
int uat_choice_make(uint64_t *number);

/* Name an older checkpoint that can be used instead of a damaged one. */
void uat_choice_name_older(uint64_t number);

#endif
