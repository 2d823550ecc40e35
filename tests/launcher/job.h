/* SPDX-License-Identifier: MIT */
/* Start uatrun with a job of this folder's client, and judge how it ends. For the tests of uatrun. */
#ifndef UAT_TESTS_JOB_H
#define UAT_TESTS_JOB_H

#include <stdbool.h>

#include "tests/launcher/run.h"

/* The job that was started last. */
extern struct run run;

/* Take uatrun and the client from the command line; false, and a line, if they are not there. */
bool job_take_arguments(int argc, char **argv);

/* Start uatrun with arguments up to NULL, and input or -1; "CLIENT" stands for the client's path. */
void job_start(int input, const char *first, ...);

#define JOB_RUN(...)                                                                                                   \
    do {                                                                                                               \
        job_start(-1, __VA_ARGS__, NULL);                                                                              \
        run_finish(&run);                                                                                              \
    } while (0)

/* The status, and exactly one line of uatrun's, which holds `what`. */
void assert_ends(int status, const char *what);

/* Status 0, and nothing on stderr. */
void assert_good(void);

#define TEST(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

#endif
