/* SPDX-License-Identifier: MIT */
/* The settings of torture, and of the race detector: see base/settings.h. */
#ifndef UAT_TORTURE_SETTINGS_H
#define UAT_TORTURE_SETTINGS_H

#include <stdbool.h>

#include "base/settings.h"

enum uat_torture_mode {
    UAT_TORTURE_NONE,
    UAT_TORTURE_EVACUATE,
    UAT_TORTURE_STEAL,
    UAT_TORTURE_ORDER,
    UAT_TORTURE_FENCE,
    UAT_TORTURE_ROLLBACK
};
#define UAT_TORTURE_NO_DELAY UINT64_MAX
enum uat_races_mode { UAT_RACES_REPORT, UAT_RACES_STOP, UAT_RACES_OFF };

struct uat_torture_settings {
    int torture;            /* enum uat_torture_mode */
    uint64_t torture_delay; /* a seed, or UAT_TORTURE_NO_DELAY */
    int races;              /* enum uat_races_mode */
    int statics;            /* bool: protect the program's variables in a run */
    char allow[256];        /* patterns of variables that tasks may write, separated by colons */
};
extern struct uat_torture_settings uat_torture_settings;

/* Are delays requested? uat_torture_seed() returns their seed, or 0 if no delays are requested. */
static inline bool uat_torture_delays(void)
{
    return uat_torture_settings.torture_delay != UAT_TORTURE_NO_DELAY;
}
static inline uint64_t uat_torture_seed(void)
{
    return uat_torture_delays() ? uat_torture_settings.torture_delay : 0;
}

#ifdef UAT_SETTINGS_ROWS
#define TORTURE(member) UAT_FIELD(struct uat_torture_settings, member)
static const struct uat_setting uat_torture_parts[] = {
    {"mode", "none", UAT_EQUAL, TORTURE(torture),
     UAT_CHOICE({"none", UAT_TORTURE_NONE}, {"evacuate", UAT_TORTURE_EVACUATE}, {"steal", UAT_TORTURE_STEAL},
                {"order", UAT_TORTURE_ORDER}, {"fence", UAT_TORTURE_FENCE}, {"rollback", UAT_TORTURE_ROLLBACK}),
     "evacuate: a spawner's stack is moved away while its child runs; steal: each spawn waits for a thief; order: "
     "data-flow tasks never run in place; fence: as order, and they cannot access near pages that they have not named; "
     "rollback: all workers stop again and again, and keep a copy of the run in memory or go back to the last one"},
    {"delay", "none", UAT_EQUAL_IF_SET, TORTURE(torture_delay),
     UAT_NUMBER_OR(0, UAT_TORTURE_NO_DELAY - 1, {"none", UAT_TORTURE_NO_DELAY}),
     "seed of random delays at each step of the protocols"},
    {"races", "report", UAT_MAY_DIFFER, TORTURE(races),
     UAT_CHOICE({"report", UAT_RACES_REPORT}, {"stop", UAT_RACES_STOP}, {"off", UAT_RACES_OFF}),
     "what a program that uatcc -check has linked does at a fault: report it, and exit with status 66 at the end; or "
     "stop at once"},
    {"statics", "writable", UAT_MAY_DIFFER, TORTURE(statics), UAT_CHOICE({"writable", false}, {"protected", true}),
     "protected: a task that writes to a static variable of the program ends the job: docs/debugging.md"},
    {"allow", "none", UAT_MAY_DIFFER, TORTURE(allow), UAT_LIST_OR("none"),
     "variables that tasks may write although statics=protected, such as counter:table*"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_torture_rows[] = {
    {"UAT_TORTURE", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_torture_parts),
     "for tests: stress modes, which find code that breaks the rules"},
    UAT_LAST_SETTING,
};
#endif

#endif
