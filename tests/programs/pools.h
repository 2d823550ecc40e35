/* SPDX-License-Identifier: MIT */
/* The check between two runs: this worker has got back everything that it lent to other workers. */
#ifndef UAT_TEST_POOLS_H
#define UAT_TEST_POOLS_H

/*
 * Call this after uat_run() and before the next one. The barrier at a run's end completes all workers' chains. So every
 * record and every block must have been given back, and every record's state must be even (J1). Prints a line on stderr
 * for each fault, and returns their number.
 */
int pools_check(void);

/* A function NAME_checked() for the table of run_rounds() (tests/programs/rounds.h): run task NAME, then call
 * pools_check(). The first case of a job opens global memory first. */
#define CASE_WITH_POOLS(name)                                                                                          \
    static int name##_checked(int *errors, int unused)                                                                 \
    {                                                                                                                  \
        int failed = global_open_once() || name##_run(errors, unused);                                                 \
        return failed || pools_check();                                                                                \
    }

/* Calls uat_global_open() once; later calls do nothing. Collective. */
int global_open_once(void);

#endif
