/* SPDX-License-Identifier: MIT */
/* Adaptive requests. A program that does not link them does not link this file either, and so needs only libuat.a. */
#include "include/uat/adaptive.h"

#include "profile/replace.h"

REPLACE_VOID(uat_adaptive_run,
             (const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg, void *result),
             (a, outer, begin, end, arg, result), uat_profile_counts.unmeasured++, NOTHING)
REPLACE(int, uat_request_wait, (void), (), NOTHING, NOTHING)
REPLACE_VOID(uat_request_run, (void), (), NOTHING, NOTHING)
