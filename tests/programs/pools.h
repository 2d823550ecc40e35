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

#endif
