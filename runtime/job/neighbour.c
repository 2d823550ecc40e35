/* SPDX-License-Identifier: MIT */
#include "runtime/job/neighbour.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/log.h"
#include "base/lost.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"

static struct {
    int rank; /* the neighbour that this worker watches; -1: none */
    int pid;
    char host[64];
    uint64_t looked; /* time of the last look, in seconds */
    int stopped;     /* number of consecutive looks, one a second, that saw the neighbour stopped */
    bool reported;
} watched = {.rank = -1};

/* The other workers of this machine in the same PID namespace. A signal handler may read this at any time, in any
 * thread. So `count` is set last, and the list is never freed: a handler on another thread may still be reading it
 * while this worker closes. A process makes one list, because it takes part in one job only. Unit tests make
 * several. */
static struct {
    pid_t *pid;
    int count;
} others;

static bool is_neighbour(const struct uat_identity *own, const struct uat_identity *other)
{
    return other->binding.machine == own->binding.machine && other->pid_space == own->pid_space;
}

/* Release: when uat_neighbour_end() sees a count, that number of process numbers is valid. */
static void set_count(int count)
{
    __atomic_store_n(&others.count, count, __ATOMIC_RELEASE);
}

static int list_others(const struct uat_roster *roster)
{
    int count = 0;
    others.pid = realloc(others.pid, (size_t)roster->size * sizeof(*others.pid));
    if (!others.pid) {
        uat_error("no memory for the list of this machine's workers");
        return -ENOMEM;
    }
    for (int rank = 0; rank < roster->size; rank++)
        if (rank != uat_self.rank && is_neighbour(roster->identity[uat_self.rank], roster->identity[rank]))
            others.pid[count++] = roster->identity[rank]->pid;
    set_count(count);
    return 0;
}

int uat_neighbour_open(const struct uat_roster *roster, const char *launcher)
{
    int self = uat_self.rank, size = roster->size;
    const struct uat_identity *own = roster->identity[self];
    watched.rank = -1;
    if (strcmp(launcher, "uatrun") == 0 || !own->pid_space)
        return 0;
    for (int i = 1; i < size && watched.rank < 0; i++) {
        int rank = (self + i) % size;
        const struct uat_identity *other = roster->identity[rank];
        if (!is_neighbour(own, other))
            continue;
        watched.rank = rank;
        watched.pid = other->pid;
        memcpy(watched.host, other->host, sizeof(watched.host));
    }
    return list_others(roster);
}

void uat_neighbour_end(void)
{
    const union sigval value = {.sival_int = uat_lost_value(UAT_LOST_NONE)};
    /* Acquire: orders the count before the numbers; pairs with set_count(). */
    for (int i = __atomic_load_n(&others.count, __ATOMIC_ACQUIRE); i > 0; i--)
        sigqueue(others.pid[i - 1], SIGTERM, value);
}

void uat_neighbour_close(void)
{
    set_count(0);
    watched.rank = -1;
}

/* State T means stopped by a signal. State t, stopped by a debugger, does not count. */
static bool is_stopped(int pid)
{
    struct uat_process process;
    return uat_process_look(pid, &process) && process.state == 'T';
}

static void judge(void)
{
    if (uat_job_settings.stall_limit > 0 && watched.stopped >= uat_job_settings.stall_limit)
        uat_fatal("rank %d on %s, pid %d, has been stopped for %d s; UAT_STALL_LIMIT=%d is reached, the job ends",
                  watched.rank, watched.host, watched.pid, watched.stopped, uat_job_settings.stall_limit);
    if (uat_job_settings.stall_timeout > 0 && watched.stopped >= uat_job_settings.stall_timeout && !watched.reported) {
        watched.reported = true;
        uat_warn(
            "rank %d on %s, pid %d, has been stopped for %d s; the run goes on when it is continued: kill -CONT %d "
            "(UAT_STALL_TIMEOUT=%d)",
            watched.rank, watched.host, watched.pid, watched.stopped, watched.pid, uat_job_settings.stall_timeout);
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
