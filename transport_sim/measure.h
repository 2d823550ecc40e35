/* SPDX-License-Identifier: MIT */
/* UAT_SIM_TASK=...,cpu=N: the processor time of program and runtime passes as virtual time. */
#ifndef UAT_SIM_MEASURE_H
#define UAT_SIM_MEASURE_H

#include <stdint.h>

/* Virtual ns since the last call of uat_sim_measure_restart(); 0 unless cpu= is set. */
uint64_t uat_sim_measure_take(void);

/* Start measuring: the program runs from here on. The simulation's own processor time does not count. */
void uat_sim_measure_restart(void);

#endif
