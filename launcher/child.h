/* SPDX-License-Identifier: MIT */
/* The process of one worker, from its fork to its end. */
#ifndef UAT_LAUNCHER_CHILD_H
#define UAT_LAUNCHER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct uat_child {
    int rank;
    pid_t pid;       /* 0 after the worker has been reaped */
    int status;      /* as from waitpid(); valid after the worker has been reaped */
    double stopped;  /* when the worker was stopped, in seconds of CLOCK_MONOTONIC; 0 = it is running */
    int stop_signal; /* the signal that stopped it */
    bool stop_said;  /* the stop has been reported */
};

struct uat_child_plan {
    const char *path;
    char **argv, **env;
    int core;                  /* the core to bind it to; -1 = none */
    struct bitmask *core_mask; /* scratch space for binding */
    bool null_input;           /* standard input is /dev/null */
    int inherited[3];          /* descriptors that the worker inherits; -1: none */
    int output, error;         /* descriptors for stdout and stderr; -1: those of uatrun */
};

/* Start a worker that dies with its parent. Returns 0. On failure it reports the error, puts uatrun's status into
 * *exit_status and returns a negative errno. */
int uat_child_start(struct uat_child *child, const struct uat_child_plan *plan, int *exit_status);

/* Raise uatrun's limit of open files for n workers. more: files per worker. The workers get the old limit back. Returns
 * 0. If the limit cannot be raised far enough, reports this and returns -EMFILE. */
int uat_child_raise_files(int n, int more);

#endif
