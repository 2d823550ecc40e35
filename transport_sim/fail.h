/* SPDX-License-Identifier: MIT */
/* End a simulation that cannot continue: report the states of the first 32 workers, then exit. */
#ifndef UAT_SIM_FAIL_H
#define UAT_SIM_FAIL_H

#include <stdint.h>

/* Deadlock: the queue is empty, and some workers have not left. */
_Noreturn void uat_sim_fail_deadlock(void) __attribute__((cold));

/* UAT_SIM_LIMIT has been reached. */
_Noreturn void uat_sim_fail_limit(uint64_t time) __attribute__((cold));

#endif
