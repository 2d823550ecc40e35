/* SPDX-License-Identifier: MIT */
/* The job's PMIx server, which gives the workers their ranks and exchanges their endpoints. */
#ifndef UAT_LAUNCHER_SERVER_H
#define UAT_LAUNCHER_SERVER_H

#include <stdbool.h>

/* The state of a worker, as far as the server knows. */
enum uat_presence { UAT_PRESENCE_NONE, UAT_PRESENCE_CONNECTED, UAT_PRESENCE_FINALIZED };

/* A call of PMIx_Abort(). */
struct uat_abort {
    int rank, status;
    char message[256]; /* one line, perhaps empty */
};

/*
 * Make and remove the directory for libpmix's files. The directory's name cannot be guessed. uat_server_start() also
 * removes the directory, but the process may be killed before that. Returns 0 or a negative errno after reporting the
 * error.
 */
int uat_server_make_directory(void);
void uat_server_remove_directory(void);

/* Start the server for n workers. The server ends with the process. Returns 0 or a negative errno after reporting the
 * error. */
int uat_server_start(int n);

/* A copy of env with the variables by which worker `rank` finds the server. After a failure, reports it and returns
 * NULL. */
char **uat_server_environment(int rank, char *const *env);

enum uat_presence uat_server_presence(int rank);

/* Get the first call of PMIx_Abort(), if there was one. That call also makes uat_server_abort_fd() readable. */
bool uat_server_aborted(struct uat_abort *out);
int uat_server_abort_fd(void);

#endif
