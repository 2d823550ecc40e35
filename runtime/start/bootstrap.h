/* SPDX-License-Identifier: MIT */
/*
 * How workers find each other, by PMIx. No other file uses PMIx. Each worker publishes one blob; barriers in steady
 * state do not use PMIx.
 */
#ifndef UAT_BOOTSTRAP_H
#define UAT_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"

struct uat_job {
    int rank, size;
    int local_rank, local_size; /* among the workers of this host */
    const char *launcher;       /* who started us: "uatrun", "srun", ..., "none" */
    char host[64];
};

/* What to do while a wait for the other workers lasts: `waiting` is called several times a second and may end the job;
 * `waited` when the wait is over. `unanswered`: the launcher has not answered an abort; called in a signal handler,
 * too, before this process ends. May be NULL. */
struct uat_bootstrap_user {
    void (*waiting)(void);
    void (*waited)(void);
    void (*unanswered)(void);
};

/*
 * Join the job that the environment names, or be a job of one. user is copied. With UAT_TRANSPORT=sim this forks the
 * workers, and comes back in each of them. 0 or a negative errno, reported.
 */
int uat_bootstrap_open(struct uat_job *job, const struct uat_options *options, const struct uat_bootstrap_user *user);

/* Publish one blob and collect those of all: blobs[i], sizes[i], to be given to uat_bootstrap_forget(). Collective.
 * wanted: NULL, or for each rank whether its blob is to be collected; NULL and 0 stand for the others. libpmix keeps
 * a copy of each collected blob until the end. A simulation collects all. */
int uat_bootstrap_exchange(const void *blob, size_t size, const bool *wanted, void ***blobs, size_t **sizes);
void uat_bootstrap_forget(void **blobs, size_t *sizes);

/* Barrier over PMIx, for start-up and the end only. */
int uat_bootstrap_barrier(void);

/* Leave the job in order. */
int uat_bootstrap_close(void);

/* Tell the launcher that the job has failed, with this exit status. Returns, perhaps before the others are gone;
 * or, when the launcher does not answer, ends this process with that status. */
void uat_bootstrap_abort(int status);

#endif
