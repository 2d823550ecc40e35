/* SPDX-License-Identifier: MIT */
/* The PMIx server of the job: gives the workers their ranks and exchanges their endpoints. */
#ifndef UAT_LAUNCHER_SERVER_H
#define UAT_LAUNCHER_SERVER_H

#include <stdbool.h>

/* What a worker has told the server. */
enum uat_presence { UAT_PRESENCE_NONE, UAT_PRESENCE_CONNECTED, UAT_PRESENCE_FINALIZED };

/* A call of PMIx_Abort(). */
struct uat_abort {
    int rank, status;
    char message[256]; /* one line, perhaps empty */
};

/*
 * Make the directory that libpmix is given, with a name that cannot be guessed; remove it. uat_server_start() removes
 * it too, but may be killed before. 0 or a negative errno, reported.
 */
int uat_server_make_directory(void);
void uat_server_remove_directory(void);

/* Start the server for n workers. Returns 0 or a negative errno, reported. It ends with the process. */
int uat_server_start(int n);

/* A copy of env with what worker `rank` needs to find the server; NULL, reported, on failure. */
char **uat_server_environment(int rank, char *const *env);

enum uat_presence uat_server_presence(int rank);

/* The first call of PMIx_Abort(), if any; abort_fd becomes readable by it. */
bool uat_server_aborted(struct uat_abort *out);
int uat_server_abort_fd(void);

#endif
