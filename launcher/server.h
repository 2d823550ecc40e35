/* SPDX-License-Identifier: MIT */
/*
 * How the workers of the job meet: in a memory object (base/meeting.h). tests/pmix/ has a PMIx server with the same
 * functions. Tests of the library's PMIx link it with the rest of uatrun.
 */
#ifndef UAT_LAUNCHER_SERVER_H
#define UAT_LAUNCHER_SERVER_H

#include <stdbool.h>

#include "base/meeting.h"

/* A worker's request to end the job. */
struct uat_abort {
    int rank, status;
};

/* Start the server for n workers. It ends with the process. Returns 0 or a negative errno after reporting the error. */
int uat_server_start(int n);

/* env with the variables by which worker `rank` finds the server; valid until the next call. env must have space for
 * them. After a failure, reports it and returns NULL. */
char **uat_server_environment(int rank, char **env);

/* A descriptor that the workers inherit; -1 = none. */
int uat_server_inherited(void);

/* The state of a worker, as far as the server knows. */
enum uat_presence uat_server_presence(int rank);

/* Get the first request to end the job, if there was one. Each request also sends a SIGCHLD to this process. */
bool uat_server_aborted(struct uat_abort *out);

#endif
