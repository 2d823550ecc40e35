/* SPDX-License-Identifier: MIT */
/* Under torture: which bytes of the parts belong to objects in use. */
#ifndef UAT_GLOBAL_BOUNDS_H
#define UAT_GLOBAL_BOUNDS_H

#include "runtime/global/state.h"

/* Bytes at the end of each part that hold the bounds; 0 without torture. */
size_t uat_bounds_size(void);
/* Mark an object as in use, and fill the rest of its place. bytes: size of the object. room: size of its place. */
void uat_bounds_set(uintptr_t object, size_t bytes, size_t room);
/* Mark the object as free. Ends the job if the rest of its place was written. */
void uat_bounds_clear(uintptr_t object, size_t room);
/* `check` of the parts: ends the job with a message if a byte of the range belongs to no object in use. */
void uat_bounds_check(const char *call, uintptr_t at, size_t bytes);

#endif
