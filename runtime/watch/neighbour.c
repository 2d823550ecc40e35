/* SPDX-License-Identifier: MIT */
#include "runtime/watch/neighbour.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "runtime/start/self.h"
#include "runtime/watch/die.h"

static struct {
    int rank; /* -1: nobody */
    int pid;
    char host[64];
    uint64_t looked; /* when, seconds */
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

/* T = stopped by a signal. By a debugger, t, does not count. */
static bool is_stopped(int pid)
{
    struct uat_process process;
    return uat_process_look(pid, &process) && process.state == 'T';
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
    if (watched.rank < 0)
        return;
    uint64_t now = uat_clock_seconds();
    if (now == watched.looked)
        return;
    watched.looked = now;
    if (is_stopped(watched.pid)) {
        watched.stopped++;
        judge();
        return;
    }
    if (watched.reported)
        uat_warn("rank %d on %s, pid %d, goes on", watched.rank, watched.host, watched.pid);
    watched.stopped = 0;
    watched.reported = false;
}
