/* SPDX-License-Identifier: MIT */
/* What one worker measures of its start, and the line in which it tells the measuring process. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

struct uat_startup_report {
    int rank, size;
    /* Seconds from the launcher's exec to main(), to the end of uat_init(), to the first task; -1: none. */
    double main, init, task;
    uint64_t own, shared; /* KiB of memory that this process alone has, and its share of what it has with others */
    uint64_t anonymous;   /* KiB of its heap, stack and data: all but segments and files */
    uint64_t tables;      /* KiB of its page tables */
    uint64_t pinned;      /* KiB that devices have pinned for it; the same page counts as often as it is registered */
};

/* Seconds since the epoch: a clock that processes of several hosts have in common. */
double uat_startup_now(void);

/* A worker's part: start, run a small tree, check its answer, print the line. Returns the exit status. */
int uat_startup_work(double since);

/* Whether text is a worker's line; then *out is what it says. */
bool uat_startup_read(const char *text, struct uat_startup_report *out);

#endif
