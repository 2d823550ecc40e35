/* SPDX-License-Identifier: MIT */
#include "runtime/task/counts.h"

uat_stats_t uat_task_counts;
