/* SPDX-License-Identifier: MIT */
/*
 * How workers find each other: those of uatrun in its memory (meeting.c), those of other launchers by PMIx (pmix.c). In
 * each exchange, each worker publishes one blob. Barriers in steady state are in collective.h.
 */
#ifndef UAT_BOOTSTRAP_H
#define UAT_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct uat_job {
    int rank, size;
    int local_rank, local_size; /* among the workers of this host */
    const char *launcher;       /* what started us: "uatrun", "srun", ..., "none" */
    char host[64];
};

/* Callbacks. `waiting` is called several times a second during a wait for the other workers, and may end the job.
 * `waited` is called when the wait is over. If the launcher has not answered an abort, `unanswered` is called before
 * this process ends. The call may be in a signal handler. `unanswered` may be NULL. */
struct uat_bootstrap_user {
    void (*waiting)(void);
    void (*waited)(void);
    void (*unanswered)(void);
};

/*
 * Join the job that the environment names, or be a job of one. `user` is copied. With UAT_TRANSPORT=sim this forks the
 * workers and returns in each of them. Returns 0, or a negative errno that has been reported.
 */
int uat_bootstrap_open(struct uat_job *job, const struct uat_bootstrap_user *user);

/* Publish one blob, and collect the blobs of all workers in blobs[i] and sizes[i]; free them with uat_bootstrap_free().
 * Collective. `wanted` says for each rank whether to collect its blob; NULL means all. blobs[i] is NULL and sizes[i] 0
 * for a rank that is not wanted. libpmix keeps a copy of each collected blob until the end. A simulation collects
 * all. */
int uat_bootstrap_exchange(const void *blob, size_t size, const bool *wanted, void ***blobs, size_t **sizes);
void uat_bootstrap_free(void **blobs, size_t *sizes);

/* A barrier, for start-up and shutdown only. */
int uat_bootstrap_barrier(void);

/* What all workers wait in, in a barrier or an exchange; for a message. */
const char *uat_bootstrap_wait(void);

/* Leave the job cleanly. */
int uat_bootstrap_close(void);

/* The means by which workers find each other. */
struct uat_means {
    /* Join the job of the environment, and fill in *job, except for `host`, which is set. `user` stays valid. */
    int (*open)(struct uat_job *job, const struct uat_bootstrap_user *user);
    int (*barrier)(void);
    /* Put copies of the wanted blobs (NULL: of all) into the arrays, which are zero. After an error, the caller frees
     * what is in them. */
    int (*exchange)(const void *blob, size_t size, const bool *wanted, void **blobs, size_t *sizes);
    int (*close)(void);
    void (*abort)(int status);
    const char *wait; /* see uat_bootstrap_wait() */
};
extern const struct uat_means uat_means_meeting, uat_means_pmix;

/* Tell the launcher that the job has failed with this exit status. May return before the other workers are gone. If the
 * launcher is a PMIx server and does not answer, this ends the process with that status. */
void uat_bootstrap_abort(int status);

/*
 * Bounds the time of an abort. The PMIx server answers an abort only after it has told the other servers. If the
 * network is cut, that may take minutes.
 */

/* From now on the server has some seconds to answer. Then a handler of SIGALRM calls `unanswered`, unless it is NULL,
 * and ends this process with `status`. */
void uat_abort_bound(int status, void (*unanswered)(void));

/* The server has answered. */
void uat_abort_answered(void);

/* Which launcher started this process, and whether it was the right one. */

/* By which means the environment says that a launcher has started this process. */
enum uat_launched { UAT_LAUNCHED_ALONE, UAT_LAUNCHED_UATRUN, UAT_LAUNCHED_PMIX };
enum uat_launched uat_launched(void);

/* A name that only this job has, and that only its user knows; NULL if the process is alone. */
const char *uat_launched_job(void);

/* The number in an environment variable; 0 if it is not set. */
long uat_launched_count(const char *variable);

/* The launcher's name, such as "srun". space: the PMIx namespace of this process. */
const char *uat_launched_by(const char *space);

/* For a process that is alone: may it be a job of one worker? Returns 0, or -EINVAL after reporting what should have
 * started it. */
int uat_launched_alone(void);

/*
 * A program that a worker starts (system(), popen(), fork() and exec, directly or by a shell) inherits the variables
 * PMIX_* or UATRUN_* of the worker. It must not join the job as that worker. So a worker leaves a mark in its
 * environment before it joins. The mark stays after the worker has left the job, because the other workers do not wait
 * for the program. The mark names the job. So it does not stop another launcher, such as uatrun in a task, whose job
 * has another name.
 */

/* The pid of the worker whose variables this process has inherited; 0 if they are its own. */
pid_t uat_nested_in(void);

/* Mark the environment of a worker that a launcher has started. Returns 0, or a negative errno that has
 * been reported. */
int uat_nested_mark(void);

#endif
