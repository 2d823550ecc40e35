/* SPDX-License-Identifier: MIT */
/* The settings of a job as a whole: see base/settings.h. */
#ifndef UAT_JOB_SETTINGS_H
#define UAT_JOB_SETTINGS_H

#include "base/log.h"
#include "base/settings.h"

#define UAT_DOCTOR_VARIABLE "UATRUN_DOCTOR" /* environment variable: set if uatrun wants the library's self-test */

enum uat_transport_choice { UAT_TRANSPORT_AUTO, UAT_TRANSPORT_SHM, UAT_TRANSPORT_IBV, UAT_TRANSPORT_SIM };
enum uat_bind { UAT_BIND_AUTO, UAT_BIND_CORE, UAT_BIND_NONE };

struct uat_job_settings {
    int transport;                  /* enum uat_transport_choice */
    int bind;                       /* enum uat_bind */
    int log;                        /* enum uat_log_level */
    int stall_timeout, stall_limit; /* seconds; 0: never */
};
extern struct uat_job_settings uat_job_settings;

#ifdef UAT_SETTINGS_ROWS
#define JOB(member) UAT_FIELD(struct uat_job_settings, member)
static const struct uat_setting uat_job_rows[] = {
    {"UAT_TRANSPORT", "auto", UAT_MAY_DIFFER, JOB(transport),
     UAT_CHOICE({"auto", UAT_TRANSPORT_AUTO}, {"shm", UAT_TRANSPORT_SHM}, {"ibv", UAT_TRANSPORT_IBV},
                {"sim", UAT_TRANSPORT_SIM}),
     "how workers exchange data; sim: a simulation of all workers in virtual time"},
    {"UAT_BIND", "auto", UAT_MAY_DIFFER, JOB(bind),
     UAT_CHOICE({"auto", UAT_BIND_AUTO}, {"core", UAT_BIND_CORE}, {"none", UAT_BIND_NONE}),
     "bind each worker to a core; auto: unless the launcher has bound it, or the job leaves cores unused; core: "
     "always, within the launcher's binding"},
    {"UAT_LOG", "warn", UAT_MAY_DIFFER, JOB(log),
     UAT_CHOICE({"error", UAT_LOG_ERROR}, {"warn", UAT_LOG_WARN}, {"info", UAT_LOG_INFO}),
     "the least important kind of message that is shown"},
    {"UAT_STALL_TIMEOUT", "5s", UAT_MAY_DIFFER, JOB(stall_timeout), UAT_TIME(0, 1440 * UAT_MINUTES, UAT_SECONDS),
     "how long a worker waits for a step of another worker before it reports the wait; 0: never"},
    {"UAT_STALL_LIMIT", "120s", UAT_MAY_DIFFER, JOB(stall_limit), UAT_TIME(0, 1440 * UAT_MINUTES, UAT_SECONDS),
     "how long such a wait may last before it ends the job; 0: forever"},
    UAT_LAST_SETTING,
};
#endif

#endif
