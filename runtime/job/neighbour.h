/* SPDX-License-Identifier: MIT */
/*
 * Detection of stopped workers (SIGSTOP, SIGTSTP) on the same machine. uatrun sees its stopped workers. Other launchers
 * do not see theirs, so the job would idle forever. So the workers of a machine watch each other in a ring: each
 * samples the next one whenever it waits. A worker that is alone on its machine is not watched.
 *
 * On a host that is cut off from the launcher, only a worker of that host can end the other workers there. A worker
 * that is busy with its own tasks notices late that the others are lost. So the first worker to notice ends all workers
 * of its host.
 */
#ifndef UAT_NEIGHBOUR_H
#define UAT_NEIGHBOUR_H

#include "runtime/job/roster.h"

/* Choose from the published records which worker to watch and which workers to end. If the launcher watches its
 * workers, choose none. Returns 0, or -ENOMEM, which has been reported. */
int uat_neighbour_open(const struct uat_roster *roster, const char *launcher);

/* Sample the watched worker, at most once a second. Called periodically while this worker waits. Reports a worker that
 * has been stopped for UAT_STALL_TIMEOUT, and ends the job after UAT_STALL_LIMIT. */
void uat_neighbour_look(void);

/* End the other workers of this machine, by SIGTERM. A signal handler may call it, too. */
void uat_neighbour_end(void);

/* Stop watching. The workers end by themselves from now on. */
void uat_neighbour_close(void);

#endif
