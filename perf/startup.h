/* SPDX-License-Identifier: MIT */
/* A worker's measurements of its start, and the line in which it reports them to the measuring process. */
#ifndef UAT_STARTUP_H
#define UAT_STARTUP_H

#include <stdbool.h>
#include <stdint.h>

struct uat_startup_report {
    int rank, size;
    /* Seconds from the launcher's exec to main(), to the end of uat_init(), to the first task; -1: none. */
    double main, init, task;
    uint64_t own, shared; /* KiB of memory that only this process has; its share of memory that it shares with others */
    uint64_t anonymous;   /* KiB of its heap, stack and data: everything except segments and files */
    uint64_t tables;      /* KiB of its page tables */
    uint64_t pinned;      /* KiB that devices have pinned for it; a page counts once per registration */
};

/* Seconds since the epoch, by a clock that processes on several hosts share. */
double uat_startup_now(void);

/* The worker's main(): start, run a small tree, check its answer, print the line. Returns the exit status. */
int uat_startup_work(double since);

/* Parse a worker's line into *out. Returns whether text is one. */
bool uat_startup_read(const char *text, struct uat_startup_report *out);

#endif
