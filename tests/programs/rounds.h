/* SPDX-License-Identifier: MIT */
/* Programs with several cases, which are run in rounds. Each case is a separate run. Tasks return how many errors they
 * saw. */
#ifndef UAT_TEST_ROUNDS_H
#define UAT_TEST_ROUNDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"

/* The value is 0 if the condition holds. Otherwise it is 1, and a line is printed on stderr. */
#define WRONG(right)                                                                                                   \
    ((right) ? 0 : (fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, uat_rank(), #right), 1))

struct round_case {
    const char *name;
    int (*run)(int *errors, int unused); /* NAME_run() of UAT_TASK(int, NAME, int, unused) */
};

/* main() with the arguments [ROUNDS [CASE]]. Returns 0 on success, 1 after a failure, and 2 if there is no such
 * case. */
static inline int run_rounds(int argc, char **argv, const struct round_case *cases, size_t count)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, failed = 0, known = argc <= 2;
    if (uat_init())
        return 1;
    for (int round = 0; round < rounds && !failed; round++)
        for (size_t i = 0; i < count && !failed; i++) {
            int errors = 0;
            if (argc > 2 && strcmp(argv[2], cases[i].name) != 0)
                continue;
            known = 1;
            failed = cases[i].run(&errors, 0) != 0 || errors != 0;
            if (failed)
                fprintf(stderr, "%s, round %d: %d errors\n", cases[i].name, round, errors);
        }
    return uat_finalize() || failed ? 1 : known ? 0 : 2;
}

#endif
