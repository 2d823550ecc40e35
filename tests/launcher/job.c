/* SPDX-License-Identifier: MIT */
#include "tests/launcher/job.h"

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 16 };

static char *uatrun, *client;
struct run run;

bool job_take_arguments(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s UATRUN CLIENT\n", argv[0]);
        return false;
    }
    uatrun = argv[1];
    client = argv[2];
    return true;
}

void job_start(int input, const char *first, ...)
{
    char *argv[ARGUMENTS_MAX + 2] = {uatrun};
    int n = 1;
    va_list args;
    va_start(args, first);
    for (const char *word = first; word && n < ARGUMENTS_MAX; word = va_arg(args, const char *))
        argv[n++] = strcmp(word, "CLIENT") == 0 ? client : (char *)word;
    va_end(args);
    run_start(&run, argv, input);
}

void assert_ends(int status, const char *what)
{
    if (run.status != status || run_count(run.err, "uatrun: ") != 1 || !strstr(run.err, what))
        fail_msg("expected status %d and '%s', got status %d and '%s'", status, what, run.status, run.err);
}

void assert_good(void)
{
    if (run.status != 0 || run.err[0])
        fail_msg("status %d, stderr '%s'", run.status, run.err);
}
