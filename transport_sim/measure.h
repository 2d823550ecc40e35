/* SPDX-License-Identifier: MIT */
/* UAT_SIM_CPU: the processor time that program and runtime take, as virtual time. */
#ifndef UAT_SIM_MEASURE_H
#define UAT_SIM_MEASURE_H

#include <stdint.h>

/* Virtual ns since the last call of uat_sim_measure_restart(); 0 unless UAT_SIM_CPU is set. */
uint64_t uat_sim_measure_take(void);

/* What the simulation itself does does not count: from here on it is the program again. */
void uat_sim_measure_restart(void);

#endif
