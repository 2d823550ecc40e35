/* SPDX-License-Identifier: MIT */
/* How this worker starts, step by step. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include "runtime/meeting.h"
#include "runtime/steps.h"

/* The steps of the start, in order. */
extern const struct uat_step uat_startup_steps[] __attribute__((visibility("hidden")));
extern const size_t uat_startup_count __attribute__((visibility("hidden")));

#endif
