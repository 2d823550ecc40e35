/* SPDX-License-Identifier: MIT */
#include "runtime/watch/neighbour.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/start/self.h"
#include "runtime/watch/die.h"

static struct {
    int rank; /* -1: nobody */
    int pid;
    char host[64];
    uint64_t looked; /* when, seconds of CLOCK_MONOTONIC */
    int stopped;     /* consecutive samples that saw it stopped, one a second */
    bool reported;
} watched = {.rank = -1};

static int timeout, limit; /* seconds; 0: never */

void uat_neighbour_open(const struct uat_options *options, const struct uat_roster *roster, const char *launcher)
{
    int self = uat_self.rank, size = roster->size;
    const struct uat_identity *own = roster->identity[self];
    timeout = options->stall_timeout;
    limit = options->stall_limit;
    watched.rank = -1;
    if (strcmp(launcher, "uatrun") == 0 || !own->pid_space)
        return;
    for (int i = 1; i < size && watched.rank < 0; i++) {
        int rank = (self + i) % size;
        const struct uat_identity *other = roster->identity[rank];
        if (other->binding.machine != own->binding.machine || other->pid_space != own->pid_space)
            continue;
        watched.rank = rank;
        watched.pid = other->pid;
        memcpy(watched.host, other->host, sizeof(watched.host));
    }
}

/* The letter of its state in /proc: T = stopped by a signal; t, by a debugger, does not count. 0: unknown. */
static char state_of(int pid)
{
    char path[32], text[256];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')'); /* of the program's name, which may hold any character */
    return end && end[1] == ' ' ? end[2] : 0;
}

static void judge(void)
{
    if (limit > 0 && watched.stopped >= limit)
        uat_die("rank %d on %s, pid %d, has been stopped for %d s; UAT_STALL_LIMIT=%d is reached, the job ends",
                watched.rank, watched.host, watched.pid, watched.stopped, limit);
    if (timeout > 0 && watched.stopped >= timeout && !watched.reported) {
        watched.reported = true;
        uat_warn(
            "rank %d on %s, pid %d, has been stopped for %d s; the run goes on when it is continued: kill -CONT %d "
            "(UAT_STALL_TIMEOUT=%d)",
            watched.rank, watched.host, watched.pid, watched.stopped, watched.pid, timeout);
    }
}

void uat_neighbour_look(void)
{
    struct timespec now;
    if (watched.rank < 0)
        return;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if ((uint64_t)now.tv_sec == watched.looked)
        return;
    watched.looked = (uint64_t)now.tv_sec;
    if (state_of(watched.pid) == 'T') {
        watched.stopped++;
        judge();
        return;
    }
    if (watched.reported)
        uat_warn("rank %d on %s, pid %d, goes on", watched.rank, watched.host, watched.pid);
    watched.stopped = 0;
    watched.reported = false;
}
