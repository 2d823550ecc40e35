/* SPDX-License-Identifier: MIT */
/* How this worker starts, step by step, and what is known then as long as the job lives. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include "base/options.h"
#include "runtime/start/bootstrap.h"
#include "runtime/start/identity.h"
#include "runtime/start/roster.h"

struct uat_startup {
    struct uat_options options;
    struct uat_job job;
    struct uat_identity identity; /* ours */
    struct uat_roster roster;     /* of all workers, while the job starts */
    char transport_reason[256];
};
extern struct uat_startup uat_startup __attribute__((visibility("hidden")));

/* Take all steps. 0, or the negative errno of the one that failed, reported; the caller aborts the job then. */
int uat_startup_go(void);

#endif
