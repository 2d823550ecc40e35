/* SPDX-License-Identifier: MIT */
/* The setting of timelines: see base/settings.h. */
#ifndef UAT_TRACE_SETTINGS_H
#define UAT_TRACE_SETTINGS_H

#include "base/settings.h"

struct uat_trace_settings {
    char file[512];  /* "": no timeline */
    uint64_t events; /* number of events that each worker keeps */
};
extern struct uat_trace_settings uat_trace_settings;

#ifdef UAT_SETTINGS_ROWS
#define TRACE(member) UAT_FIELD(struct uat_trace_settings, member)
static const struct uat_setting uat_trace_parts[] = {
    {"file", "none", UAT_EQUAL_IF_SET, TRACE(file), UAT_PATH_OR("none"),
     "file for the timeline, which Perfetto reads; rank 0 writes it at the end"},
    {"events", "65536", UAT_EQUAL, TRACE(events), UAT_NUMBER(1, 1 << 24),
     "number of events that each worker keeps, its last ones; an event takes 32 bytes"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_trace_rows[] = {
    {"UAT_TRACE", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_trace_parts), "a timeline of all workers"},
    UAT_LAST_SETTING,
};
#endif

#endif
