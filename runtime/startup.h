/* SPDX-License-Identifier: MIT */
/* How this worker starts, step by step, and what the start finds out for the whole life of the job. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include "runtime/job/bootstrap.h"
#include "runtime/job/identity.h"
#include "runtime/job/roster.h"
#include "runtime/steps.h"

struct uat_startup {
    struct uat_job job;
    struct uat_identity identity; /* this worker's identity */
    struct uat_roster roster;     /* identities and endpoints of all workers, while the job starts */
    char transport_reason[256];
    int left; /* what leaving the job returned: 0 or a negative errno */
};
extern struct uat_startup uat_startup __attribute__((visibility("hidden")));

/* The steps of the start, in order. */
extern const struct uat_step uat_startup_steps[] __attribute__((visibility("hidden")));
extern const size_t uat_startup_count __attribute__((visibility("hidden")));

#endif
