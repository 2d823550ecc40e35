/* SPDX-License-Identifier: MIT */
/* For tests of uatrun: run a command, collect what it prints, and check whether it leaves anything behind. */
#ifndef UAT_TESTS_RUN_H
#define UAT_TESTS_RUN_H

#include <sys/types.h>

enum { RUN_LIMIT_MS = 15000 }; /* limit for a command; commands usually end far earlier */

struct run {
    pid_t pid;
    int status;      /* exit status as a shell shows it */
    char out[16384]; /* stdout */
    char err[16384]; /* stderr */
    int out_fd, err_fd;
};

/* Set up and tear down for cmocka. The set-up makes a private TMPDIR. The teardown removes it, and kills processes that
 * a failed test has left. */
int run_setup(void **state);
int run_teardown(void **state);

/* A folder for the test's files. Folder and files are removed after the test. */
const char *run_directory(void);

/* Start argv; input is a descriptor or -1 for none. */
void run_start(struct run *run, char *const *argv, int input);

/* Wait until stdout holds `text` count times. */
void run_wait_output(struct run *run, const char *text, int count);

/* Wait for the end, then check that no process and no file is left. */
void run_finish(struct run *run);

int run_count(const char *text, const char *what);

/* The number of processes that descend from this test's commands, whatever their parents are now. */
int run_processes(void);

#endif
