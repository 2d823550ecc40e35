/* SPDX-License-Identifier: MIT */
/* A simulation that cannot go on: report where all workers are, and end. */
#ifndef UAT_SIM_FAIL_H
#define UAT_SIM_FAIL_H

#include <stdint.h>

/* Nothing can happen any more, and not all workers have left. */
_Noreturn void uat_sim_fail_deadlock(void) __attribute__((cold));

/* UAT_SIM_LIMIT has been reached. */
_Noreturn void uat_sim_fail_limit(uint64_t time) __attribute__((cold));

#endif
