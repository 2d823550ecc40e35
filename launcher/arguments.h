/* SPDX-License-Identifier: MIT */
/* The command line of uatrun, and the environment that the workers get. */
#ifndef UAT_LAUNCHER_ARGUMENTS_H
#define UAT_LAUNCHER_ARGUMENTS_H

#include <stdbool.h>

#include "runtime/job/settings.h"

enum {
    UAT_WORKERS_MAX = 1024, /* workers on one host; the limit of a simulation is UAT_SIM_WORKERS_MAX */
    UAT_STATUS_FAILED = 1,
    UAT_STATUS_USAGE = 2,
    UAT_STATUS_TIMEOUT = 124,    /* the status of timeout(1) */
    UAT_STATUS_CANNOT_RUN = 126, /* the shell's status */
    UAT_STATUS_NOT_FOUND = 127,
};

/* A request to the job of another uatrun. */
struct uat_wish {
    enum { UAT_WISH_NONE, UAT_WISH_RESTART, UAT_WISH_LIMIT, UAT_WISH_STATUS } kind; /* --resize, --ctl resize, status */
    int workers;                                                                    /* not for UAT_WISH_STATUS */
    long pid;                                                                       /* of that uatrun */
};

struct uat_arguments {
    int workers;
    enum uat_bind bind;             /* auto: if the workers fill the cores */
    int simulated;                  /* workers that one process simulates (UAT_TRANSPORT=sim); 0 = none */
    const char *profile;            /* NULL: none; "": to the default file */
    bool label;                     /* print the rank in front of each line */
    bool doctor;                    /* run the self-test instead of the program */
    double timeout;                 /* --timeout, in seconds; 0 = none */
    double left;                    /* how much of it is left for this start */
    int again;                      /* --again: maximum restarts after workers were lost */
    bool resizable;                 /* make a folder in memory for checkpoints, unless UAT_CHECKPOINT has one */
    struct uat_wish wish;           /* --resize, --ctl: ask another uatrun, and start no job */
    int stall_timeout, stall_limit; /* seconds, from the settings UAT_STALL_TIMEOUT and UAT_STALL_LIMIT; 0 = none */
    char **env;                     /* NULL at the end */
    char *program;                  /* the path to execute */
    char **argv;                    /* NULL at the end */
};

/*
 * Parse the command line. Returns true if there is a job to run, or a wish. Otherwise it has printed the help, the
 * version or an error. In that case *status is the exit status: 0 after --help and --version.
 */
bool uat_arguments_parse(struct uat_arguments *out, int argc, char **argv, int *status);

/* Add "NAME=VALUE" to env, or replace the entry with that NAME. env must have space for one more entry, and keeps the
 * pointer. If the text is no assignment, reports this and returns false. */
bool uat_arguments_set(char **env, char *assignment);

/* Pass uat_checkpoint_settings to the workers, in the variable UAT_CHECKPOINT. */
void uat_arguments_pass_checkpoint(struct uat_arguments *arguments);

#endif
