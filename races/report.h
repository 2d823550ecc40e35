/* SPDX-License-Identifier: MIT */
/* Reports of the race detector: two places, each with the chain of spawns that led to it, and what mends the fault. A
 * pair of source lines, a word of memory and a line that allocates are each reported once. */
#ifndef UAT_RACES_REPORT_H
#define UAT_RACES_REPORT_H

#include <stdint.h>

#include "races/lines.h"
#include "races/order.h"
#include "races/others.h"

enum {
    UAT_RACES_STATUS = 66, /* of a process with reports; that of the thread sanitizer */
    UAT_RACES_SHOWN = 20   /* reports that are printed */
};

/* A place of a report. */
struct uat_races_place {
    const char *what;                  /* such as "written by" */
    uint32_t site;                     /* uat_races_short() */
    const struct uat_races_task *task; /* its spawns are shown; NULL: none */
};

/* Report a fault at address a, once. advice: what mends it, or NULL. */
void uat_races_report(const char *title, uintptr_t a, const struct uat_races_place *second,
                      const struct uat_races_place *first, const char *advice);

/* Report an earlier access and an access of the running strand at `site`. */
void uat_races_report_pair(const char *title, uintptr_t a, const char *before, const struct uat_races_entry *e,
                           const char *now, uintptr_t site, const char *advice);

/* Report nothing about these bytes. */
void uat_races_ignore_bytes(uintptr_t a, size_t n);

int uat_races_reports(void);

#endif
