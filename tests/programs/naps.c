/* SPDX-License-Identifier: MIT */
/*
 * Description: a worker that finds no task naps, also if every worker has a core of its own. Without naps it would
 * spin, or yield its core, for as long as another worker computes. A nap is a voluntary switch to another process, and
 * a yield is not. The test waits until the kernel has counted enough of them.
 */
#include <stdio.h>
#include <unistd.h>

#include "uat.h"

enum {
    NAPS = 200,  /* how many the test waits for: 10 ms of naps */
    LIMIT_S = 30 /* until it gives up; a worker has 20000 failed attempts before its first nap */
};

UAT_TASK(int, pid_here, int, unused)
{
    (void)unused;
    return (int)getpid();
}

static long voluntary_switches(int pid)
{
    char path[64], line[256];
    long n = -1;
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
            break;
    if (file)
        fclose(file);
    return n;
}

UAT_TASK(int, pid_of, int, rank)
{
    pid_here_task child;
    pid_here_spawn_on(&child, rank, 0);
    return pid_here_join(&child);
}

/* The other worker has nothing to do while this task, on rank 0, watches it. */
UAT_TASK(long, watch, int, pid)
{
    long before = voluntary_switches(pid), now = before;
    for (uint64_t end = uat_time_ns() + LIMIT_S * UINT64_C(1000000000); now < before + NAPS && uat_time_ns() < end;) {
        usleep(10000);
        now = voluntary_switches(pid);
    }
    return before < 0 ? -1 : now - before;
}

int main(void)
{
    int pid;
    long naps;
    if (uat_init() || pid_of_run(&pid, 1) || watch_run(&naps, pid) || uat_finalize())
        return 1;
    if (naps < NAPS)
        fprintf(stderr, "naps: %ld voluntary switches of an idle worker in %d s\n", naps, LIMIT_S);
    return naps < NAPS;
}
