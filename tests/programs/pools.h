/* SPDX-License-Identifier: MIT */
/* The check, between two runs, that this worker has got back everything that it lends to its peers. */
#ifndef UAT_TEST_POOLS_H
#define UAT_TEST_POOLS_H

/*
 * Call this after uat_run() and before the next one. After the barrier at a run's end all peers have completed their
 * chains, so every record and every block must have come back, and every record's state must be even (J1). Returns how
 * many things are wrong; prints a line on stderr for each.
 */
int pools_check(void);

/* A function NAME_checked() for the table of run_rounds() (tests/programs/rounds.h): the run of task NAME, then
 * pools_check(). The first case of a job opens global memory before. */
#define CASE_WITH_POOLS(name)                                                                                          \
    static int name##_checked(int *errors, int unused)                                                                 \
    {                                                                                                                  \
        int failed = global_open_once() || name##_run(errors, unused);                                                 \
        return failed || pools_check();                                                                                \
    }

/* uat_global_open() at the first call, nothing at later ones. Collective. */
int global_open_once(void);

#endif
