/* SPDX-License-Identifier: MIT */
/* UAT_SIM_TASK=...,cpu=N: N percent of the processor time of program and runtime is added to virtual time. */
#ifndef UAT_SIM_MEASURE_H
#define UAT_SIM_MEASURE_H

#include <stdint.h>

/* Virtual time in ns since the last call of uat_sim_measure_restart(); 0 unless cpu= is set. */
uint64_t uat_sim_measure_take(void);

/* Start to measure; the program continues after this call. So the simulation's own processor time is not counted. */
void uat_sim_measure_restart(void);

#endif
