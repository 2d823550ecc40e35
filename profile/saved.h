/* SPDX-License-Identifier: MIT */
/* What a checkpoint keeps of the profile: this worker's rows, and of its counts all but the times of runs, which begin
 * anew after a restart. The functions are for uat_checkpoint_register(). */
#ifndef UAT_PROFILE_SAVED_H
#define UAT_PROFILE_SAVED_H

#include <stddef.h>

size_t uat_saved_write(const void **bytes);
void uat_saved_take(int rank, const void *bytes, size_t size);

#endif
