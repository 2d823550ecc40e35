/* SPDX-License-Identifier: MIT */
/* For tests of uatrun: start a job of this folder's client, and check how it ends. */
#ifndef UAT_TESTS_JOB_H
#define UAT_TESTS_JOB_H

#include <stdbool.h>

#include "tests/launcher/run.h"
#include "tests/test.h"

/* The job that was started last. */
extern struct run run;

/* Take the paths of uatrun and the client from the command line. If they are missing, print a line and return false. */
bool job_take_arguments(int argc, char **argv);

/* Start uatrun with the arguments up to NULL. An argument "CLIENT" stands for the client's path. input: its standard
 * input, or -1 for none. */
void job_start(int input, const char *first, ...);

#define JOB_RUN(...)                                                                                                   \
    do {                                                                                                               \
        job_start(-1, __VA_ARGS__, NULL);                                                                              \
        run_finish(&run);                                                                                              \
    } while (0)

/* Check the status, and that uatrun printed exactly one line, which contains `what`. */
void assert_ends(int status, const char *what);

/* Check for status 0, and that stderr is empty. */
void assert_good(void);

#define JOB_TEST(name) TEST_WITH(name, run_setup, run_teardown)

#endif
