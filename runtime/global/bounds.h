/* SPDX-License-Identifier: MIT */
/* Under torture: which bytes of the parts belong to objects in use. */
#ifndef UAT_GLOBAL_BOUNDS_H
#define UAT_GLOBAL_BOUNDS_H

#include "runtime/global/state.h"

/* Bytes at the end of each part that hold the bounds; 0 without torture. */
size_t uat_bounds_size(void);
/* An object of this worker with `bytes`, in a place of room bytes, is in use. What is left of the place is filled. */
void uat_bounds_set(uintptr_t object, size_t bytes, size_t room);
/* It is given back. Ends the job if what was left of the place was written. */
void uat_bounds_clear(uintptr_t object, size_t room);
/* Ends the job with one line if a byte of the range belongs to no object in use. */
void uat_bounds_check(const char *call, uintptr_t at, size_t bytes);

#endif
