/* SPDX-License-Identifier: MIT */
#ifndef UAT_RUN_H
#define UAT_RUN_H

#include <stdint.h>

/* Set the canary that all workers use inside uat_run(). It is rank 0's canary or, in a restarted job, that of the first
 * job. */
void uat_run_set_canary(uint64_t canary);
uint64_t uat_run_canary(void);

#endif
