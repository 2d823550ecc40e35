/* SPDX-License-Identifier: MIT */
/* The settings of the scheduler: see base/settings.h. */
#ifndef UAT_SCHED_SETTINGS_H
#define UAT_SCHED_SETTINGS_H

#include "base/settings.h"

struct uat_sched_settings {
    uint64_t seed; /* seed of the order of victims */
};
extern struct uat_sched_settings uat_sched_settings;

#ifdef UAT_SETTINGS_ROWS
#define SCHED(member) UAT_FIELD(struct uat_sched_settings, member)
static const struct uat_setting uat_sched_rows[] = {
    {"UAT_SEED", "0", UAT_MAY_DIFFER, SCHED(seed), UAT_NUMBER(0, UINT64_MAX),
     "seed of the random choice of victims; 0: the rank"},
    UAT_LAST_SETTING,
};
#endif

#endif
