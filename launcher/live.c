/* SPDX-License-Identifier: MIT */
#include "launcher/live.h"

#include "base/control.h"
#include "launcher/control.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILES_LEAST = 64 /* with fewer descriptors, the job takes no such requests */ };

static struct {
    int own, rank_0; /* the two ends */
    struct uat_control_request request;
    int connection; /* to the sender of `request`; -1: no request waits */
} live = {.own = -1, .rank_0 = -1, .connection = -1};

void uat_live_open(struct uat_arguments *arguments)
{
    static char variable[64];
    struct rlimit files;
    int ends[2];
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FILES_LEAST)
        return; /* the job needs them */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
        return;
    live.own = ends[0];
    live.rank_0 = ends[1];
    snprintf(variable, sizeof(variable), UAT_CONTROL_VARIABLE "=%d:%ld", ends[1], (long)getpid());
    uat_arguments_set(arguments->env, variable);
}

int uat_live_replies(void)
{
    return live.own;
}

int uat_live_inherited(void)
{
    return live.rank_0;
}

static void answer(int status, const char *line)
{
    if (live.connection >= 0)
        uat_control_answer(live.connection, status, line);
    live.connection = -1;
}

/* Does the sender of the waiting request still wait for the answer? */
static bool is_awaited(void)
{
    char byte;
    if (live.connection < 0)
        return false;
    if (recv(live.connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
        return true;
    close(live.connection);
    live.connection = -1;
    return false;
}

/* Send the request to rank 0. If it has not read earlier requests, there may be no room. */
static void pass_on(void)
{
    if (send(live.own, &live.request, sizeof(live.request), MSG_NOSIGNAL) != sizeof(live.request))
        answer(UAT_STATUS_FAILED, "rank 0 has not read earlier requests; try again when it has begun a run");
}

void uat_live_ask(int connection, int workers, int job)
{
    char line[128];
    if (workers > job) {
        snprintf(line, sizeof(line), "the job has %d worker%s; uatrun --resize starts more, from a checkpoint", job,
                 job == 1 ? "" : "s");
        uat_control_answer(connection, UAT_STATUS_FAILED, line);
    } else if (is_awaited()) {
        uat_control_answer(connection, UAT_STATUS_FAILED, "another request waits for this job's next run");
    } else if (live.own < 0) {
        uat_control_answer(
            connection, UAT_STATUS_FAILED,
            "this job takes no such requests, for want of open files; raise the limit (ulimit -n) to 64 or more");
    } else {
        live.request = (struct uat_control_request){.number = live.request.number + 1, .workers = (uint32_t)workers};
        live.connection = connection;
        pass_on();
    }
}

void uat_live_hear(void)
{
    struct uat_control_reply reply;
    char line[128];
    while (recv(live.own, &reply, sizeof(reply), 0) == sizeof(reply)) {
        if (reply.number != live.request.number) /* its sender has given up */
            continue;
        unsigned workers = live.request.workers ? live.request.workers : reply.workers;
        if (reply.status == -EINVAL) /* the job has restarted with fewer workers than at the request */
            snprintf(line, sizeof(line), "the job has %u worker%s now; uatrun --resize starts more, from a checkpoint",
                     reply.size, reply.size == 1 ? "" : "s");
        else if (reply.status)
            snprintf(line, sizeof(line),
                     "the workers cannot hand their tasks over (UAT_STACKS=iso, or more than 1024 workers)");
        else
            snprintf(line, sizeof(line), "%u of %u worker%s take part%s", workers, reply.size,
                     reply.size == 1 ? "" : "s", live.request.workers ? " from now on" : "");
        answer(reply.status ? UAT_STATUS_FAILED : 0, line);
    }
}

void uat_live_again(void)
{
    struct uat_control_request unread;
    struct uat_control_reply late; /* of the rank 0 that has ended */
    if (live.own < 0)
        return;
    while (recv(live.rank_0, &unread, sizeof(unread), 0) > 0)
        continue;
    while (recv(live.own, &late, sizeof(late), 0) > 0)
        continue;
    if (live.connection >= 0)
        pass_on();
}

void uat_live_end(void)
{
    if (live.own >= 0) /* a reply may have come together with the job's end */
        uat_live_hear();
    answer(UAT_STATUS_FAILED, "the job ended before it took the request");
}
