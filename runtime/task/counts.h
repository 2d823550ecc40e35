/* SPDX-License-Identifier: MIT */
/* What scheduler, joins and torture count, in the fields of uat_stats_t that are theirs; stats.c adds the others. */
#ifndef UAT_COUNTS_H
#define UAT_COUNTS_H

#include "include/uat.h"

extern uat_stats_t uat_task_counts __attribute__((visibility("hidden")));

#endif
