/* SPDX-License-Identifier: MIT */
/* The setting of timelines: see base/settings.h. */
#ifndef UAT_TRACE_SETTINGS_H
#define UAT_TRACE_SETTINGS_H

#include "base/settings.h"

struct uat_trace_settings {
    char file[512]; /* "": no timeline */
};
extern struct uat_trace_settings uat_trace_settings;

#ifdef UAT_SETTINGS_ROWS
static const struct uat_setting uat_trace_rows[] = {
    {"UAT_TRACE", "none", UAT_EQUAL_IF_SET, UAT_FIELD(struct uat_trace_settings, file), UAT_PATH_OR("none"),
     "file for a timeline of all workers, which Perfetto reads; rank 0 writes it at the end"},
    UAT_LAST_SETTING,
};
#endif

#endif
