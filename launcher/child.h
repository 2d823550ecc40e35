/* SPDX-License-Identifier: MIT */
/* One worker's process, from its fork to its end. */
#ifndef UAT_LAUNCHER_CHILD_H
#define UAT_LAUNCHER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct uat_child {
    int rank;
    pid_t pid;       /* 0 once it has been reaped */
    int status;      /* as from waitpid(), then */
    double stopped;  /* since when it has been stopped, seconds of CLOCK_MONOTONIC; 0 = it runs */
    int stop_signal; /* ... by which signal */
    bool stop_said;  /* ... and that was reported */
};

struct uat_child_plan {
    const char *path;
    char **argv, **env;
    int core;                  /* to be bound to; -1 = none */
    struct bitmask *core_mask; /* to work with */
    bool null_input;           /* no standard input */
    int output, error;         /* descriptors to write to instead of uatrun's; -1 = those */
};

/* Start a worker; it dies with its parent. Returns 0 or a negative errno, reported, with *exit_status for uatrun. */
int uat_child_start(struct uat_child *child, const struct uat_child_plan *plan, int *exit_status);

/* Raise the limit of open files, which a server of n workers may need, with so many more for each worker; the workers
 * get back the old one. 0, or -EMFILE, reported, if the limit is too low for any such server. */
int uat_child_raise_files(int n, int more);

#endif
