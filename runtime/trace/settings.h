/* SPDX-License-Identifier: MIT */
/* The setting of timelines: see base/settings.h. */
#ifndef UAT_TRACE_SETTINGS_H
#define UAT_TRACE_SETTINGS_H

#include "base/settings.h"

struct uat_trace_settings {
    char file[512];    /* "": no timeline */
    uint64_t events;   /* number of events that each worker keeps */
    char profile[512]; /* "": no profile */
    uint64_t burden;   /* ns, for the profile's burdened span */
};
extern struct uat_trace_settings uat_trace_settings;

#ifdef UAT_SETTINGS_ROWS
#define TRACE(member) UAT_FIELD(struct uat_trace_settings, member)
static const struct uat_setting uat_trace_parts[] = {
    {"file", "none", UAT_EQUAL_IF_SET, TRACE(file), UAT_PATH_OR("none"),
     "file for the timeline, which Perfetto reads; rank 0 writes it at the end"},
    {"events", "65536", UAT_EQUAL, TRACE(events), UAT_NUMBER(1, 1 << 24),
     "number of events that each worker keeps, its last ones; an event takes 32 bytes"},
    {"profile", "none", UAT_EQUAL_IF_SET, TRACE(profile), UAT_PATH_OR("none"),
     "file for the profile of a program that was built for it; `uatrun --profile` sets this part"},
    {"burden", "10us", UAT_MAY_DIFFER, TRACE(burden), UAT_TIME(0, UAT_SECONDS, 1),
     "time of a steal, in the profile's burdened span"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_trace_rows[] = {
    {"UAT_TRACE", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_trace_parts),
     "a timeline of all workers, and the profile"},
    UAT_LAST_SETTING,
};
#endif

#endif
