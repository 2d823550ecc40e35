/* SPDX-License-Identifier: MIT */
/* Counters of scheduler, joins and torture: their fields of uat_stats_t. stats.c adds the others. */
#ifndef UAT_COUNTS_H
#define UAT_COUNTS_H

#include "include/uat.h"

extern uat_stats_t uat_task_counts __attribute__((visibility("hidden")));

#endif
