/* SPDX-License-Identifier: MIT */
#include "perf/startup.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <uat.h>

enum { FIB_OF = 25, FIB_IS = 75025 };

static double first_task;

double uat_startup_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
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

/* The root task. It starts on rank 0, and cannot move before its first spawn. */
UAT_TASK(long, root, long, n)
{
    first_task = uat_startup_now();
    return fib(n);
}

/* Read the values that the kernel reports of this process in one line each. */
static void read_status(struct uat_startup_report *report)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[128];

    while (file && fgets(line, sizeof(line), file)) {
        sscanf(line, "RssAnon: %" SCNu64, &report->anonymous);
        sscanf(line, "VmPTE: %" SCNu64, &report->tables);
        sscanf(line, "VmPin: %" SCNu64, &report->pinned);
    }
    if (file)
        fclose(file);
}

/* Read the kernel's sums over all mappings. Memory that others also map counts by share. */
static void read_memory(struct uat_startup_report *report)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    char line[128];
    uint64_t kib, all = 0;

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "Pss: %" SCNu64, &kib) == 1)
            all = kib;
        else if (sscanf(line, "Private_Clean: %" SCNu64, &kib) == 1 ||
                 sscanf(line, "Private_Dirty: %" SCNu64, &kib) == 1)
            report->own += kib;
    }
    if (file)
        fclose(file);
    report->shared = all > report->own ? all - report->own : 0;
}

int uat_startup_work(double since)
{
    struct uat_startup_report report = {.main = uat_startup_now() - since, .task = -1};
    long answer = 0;

    if (uat_init() < 0)
        return 1;
    report.init = uat_startup_now() - since;
    report.rank = uat_rank();
    report.size = uat_size();
    if (root_run(&answer, FIB_OF) < 0)
        return 1;
    if (answer != FIB_IS) {
        fprintf(stderr, "uat-startup: rank %d: fib(%d) is %ld, not %d\n", report.rank, FIB_OF, answer, FIB_IS);
        return 1;
    }
    if (report.rank == 0)
        report.task = first_task - since;
    read_memory(&report);
    read_status(&report);
    printf("uat-startup-worker %d %d %.6f %.6f %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
           report.rank, report.size, report.main, report.init, report.task, report.own, report.shared, report.anonymous,
           report.tables, report.pinned);
    return uat_finalize() < 0;
}

bool uat_startup_read(const char *text, struct uat_startup_report *out)
{
    struct uat_startup_report r;

    if (sscanf(text, "uat-startup-worker %d %d %lf %lf %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
               &r.rank, &r.size, &r.main, &r.init, &r.task, &r.own, &r.shared, &r.anonymous, &r.tables,
               &r.pinned) != 10)
        return false;
    *out = r;
    return true;
}
