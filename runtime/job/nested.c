/* SPDX-License-Identifier: MIT */
#include "runtime/job/bootstrap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/meeting.h"

#define MARK "UATRUN_WORKER" /* "PID:RANK:JOB" of the worker */

enum { MARK_SIZE = 512 /* names of jobs have at most 255 bytes */ };

/* "RANK:JOB", as the launcher has set them. */
static void own_place(char place[MARK_SIZE])
{
    const char *rank = uat_launched() == UAT_LAUNCHED_PMIX ? "PMIX_RANK" : UAT_MEETING_RANK;
    snprintf(place, MARK_SIZE, "%s:%s", getenv(rank), uat_launched_job());
}

pid_t uat_nested_in(void)
{
    char place[MARK_SIZE], *end;
    const char *mark = getenv(MARK);
    if (!mark)
        return 0;
    own_place(place);
    pid_t pid = (pid_t)strtol(mark, &end, 10);
    return pid != getpid() && *end == ':' && strcmp(end + 1, place) == 0 ? pid : 0;
}

int uat_nested_mark(void)
{
    char place[MARK_SIZE], mark[MARK_SIZE + 16];
    own_place(place);
    snprintf(mark, sizeof(mark), "%d:%s", (int)getpid(), place);
    if (setenv(MARK, mark, 1) == 0)
        return 0;
    uat_error("no memory for a variable of the environment");
    return -ENOMEM;
}
