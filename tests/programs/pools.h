/* SPDX-License-Identifier: MIT */
/* Between two runs: is all that this worker lends to its peers back? */
#ifndef UAT_TEST_POOLS_H
#define UAT_TEST_POOLS_H

/*
 * Call it after uat_run(), before the next one. Behind the barrier at a run's end all peers have completed their
 * chains, so every record and every block must have come back, and every record's state must rest even (J1). Returns
 * how many things are wrong, each with a line on stderr.
 */
int pools_check(void);

#endif
