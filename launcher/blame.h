/* SPDX-License-Identifier: MIT */
/* Finds the worker that failed first, and reports how it failed. */
#ifndef UAT_LAUNCHER_BLAME_H
#define UAT_LAUNCHER_BLAME_H

#include <stdbool.h>

#include "launcher/arguments.h"
#include "launcher/child.h"
#include "launcher/server.h"

/* How certain it is that a worker failed by itself, and not because another worker had failed. */
enum uat_blame { UAT_BLAME_NONE, UAT_BLAME_PERHAPS, UAT_BLAME_CERTAIN };

/* What uatrun knows about the workers. */
struct uat_seen {
    const struct uat_arguments *arguments;
    struct uat_child *children;
    int told_to_end;              /* the last signal that uatrun passed on and that asks the job to end */
    struct uat_child *culprit;    /* the worker that failed first, as far as is known */
    enum uat_blame certain;       /* how certain the culprit is */
    const struct uat_child *lost; /* the worker of whose loss the others have to be told; NULL: none */
    bool stopped;                 /* a worker was stopped for too long */
    char host[256];
};

/* Has this worker ended as planned after a checkpoint, together with all other workers? */
bool uat_blame_left_checkpoint(const struct uat_child *child);

/* How certain is it that this ended worker is to blame? simulated: the child is the keeper of a simulation. */
enum uat_blame uat_blame_judge(const struct uat_child *child, bool simulated);

/* The number of lost workers. A worker is lost if it was stopped for too long, or if it was killed by a signal that
 * uatrun had not passed on. */
int uat_blame_lost(const struct uat_seen *job);

/* Report which worker failed and how; returns uatrun's status. Sets job->lost if the others have to be told. */
int uat_blame_worker(struct uat_seen *job);

/* End the other workers with a SIGTERM that carries the rank of job->lost, if any. Each of these workers then looks in
 * its own memory for locks that the lost worker's tasks held. The caller has stored the verdict before, so that it
 * stays valid if this process is killed meanwhile. */
void uat_blame_tell(const struct uat_seen *job);

/* Report that a worker aborted the job; returns uatrun's status. */
int uat_blame_abort(const struct uat_seen *job, const struct uat_abort *aborted);

#endif
