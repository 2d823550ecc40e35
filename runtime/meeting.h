/* SPDX-License-Identifier: MIT */
/* The steps of the start in which the workers exchange identities and endpoints. These steps also refuse workers that
 * differ, and store what other parts of the runtime need to know about the workers. uat_startup_steps[] gives the order
 * of the steps and says what each step does. Each step returns 0 or a negative errno, which has been reported. */
#ifndef UAT_MEETING_H
#define UAT_MEETING_H

#include <stdint.h>

#include "runtime/job/bootstrap.h"
#include "runtime/job/identity.h"
#include "runtime/job/roster.h"
#include "runtime/steps.h"

/* What the start finds out about the job, and the result of leaving it. */
struct uat_startup {
    struct uat_job job;
    struct uat_identity identity; /* this worker's identity */
    struct uat_roster roster;     /* identities and endpoints of all workers, while the job starts */
    char transport_reason[640];
    int left; /* the result of leaving the job: 0 or a negative errno */
    /* Set by uat_init(), before the first step: end this worker cleanly, after a checkpoint that ends the job. All
     * other workers must call this, too. Calls exit(status), or exit(EXIT_FAILURE) if this fails. */
    void (*leave)(int status);
};
extern struct uat_startup uat_startup __attribute__((visibility("hidden")));

int uat_meeting_collect(void);
int uat_meeting_refuse_differences(void);
int uat_meeting_refuse_processes(void);
int uat_meeting_list_colours(void);
int uat_meeting_attach(void);
int uat_meeting_compare_bindings(void);
int uat_meeting_share_canary(void);
int uat_meeting_watch(void);
int uat_meeting_list_victims(void);
int uat_meeting_connect(void);
int uat_meeting_open_rooms(void);
int uat_meeting_end(void);

/* Undoes uat_meeting_collect(). */
void uat_meeting_free(void);

/* The steps of the start, in order. */
extern const struct uat_step uat_startup_steps[] __attribute__((visibility("hidden")));
extern const size_t uat_startup_count __attribute__((visibility("hidden")));

/* Set the canary that all workers use inside uat_run(). It is rank 0's canary or, in a restarted job, that of the first
 * job. */
void uat_run_set_canary(uint64_t canary);
uint64_t uat_run_canary(void);

#endif
