/* SPDX-License-Identifier: MIT */
/*
 * A worker of uat-startup. It starts, runs a small tree, checks the tree's answer, and prints its measurements as a
 * line of JSON. Its argument is the time of the launcher's exec, in seconds since the epoch. The program assumes that
 * the hosts' clocks agree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uat.h>

enum { FIB_OF = 25, FIB_IS = 75025 };

static double since, first_task = -1; /* first_task: -1 if no task ran here */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - since;
}

UAT_TASK(long, fib, long, n)
{
    fib_task left;

    if (n < 2)
        return n;
    fib_spawn(&left, n - 1);
    long right = fib(n - 2);
    return fib_join(&left) + right;
}

/* The root task. The root task starts on rank 0, and cannot move before its first spawn. */
UAT_TASK(long, root, long, n)
{
    first_task = seconds();
    return fib(n);
}

/* The sum of the KiB in all lines of a file that start with `name`. path: a file in /proc/self. */
static uint64_t kib_of(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    char line[128], form[64];
    uint64_t kib, sum = 0;

    snprintf(form, sizeof(form), "%s%%*[^0-9]%%" SCNu64, name);
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, form, &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    static const char status[] = "/proc/self/status", all[] = "/proc/self/smaps_rollup";
    long answer = 0;

    since = argc == 2 ? strtod(argv[1], NULL) : 0;
    double at_main = seconds();
    if (uat_init() < 0)
        return 1;
    double at_init = seconds();
    if (root_run(&answer, FIB_OF) < 0)
        return 1;
    if (answer != FIB_IS) {
        fprintf(stderr, "uat-startup: rank %d: fib(%d) is %ld, not %d\n", uat_rank(), FIB_OF, answer, FIB_IS);
        return 1;
    }
    /* Memory that n processes map counts in each of them as 1/n of its size. */
    uint64_t own = kib_of(all, "Private_Clean") + kib_of(all, "Private_Dirty"), share = kib_of(all, "Pss:");
    printf("{\"worker\":%d,\"main_seconds\":%.6f,\"init_seconds\":%.6f,\"first_task_seconds\":%.6f,\"own_kib\":%" PRIu64
           ",\"shared_kib\":%" PRIu64 ",\"anonymous_kib\":%" PRIu64 ",\"page_tables_kib\":%" PRIu64
           ",\"pinned_kib\":%" PRIu64 "}\n",
           uat_rank(), at_main, at_init, first_task, own, share > own ? share - own : 0, kib_of(status, "RssAnon"),
           kib_of(status, "VmPTE"), kib_of(status, "VmPin"));
    return uat_finalize() < 0;
}
