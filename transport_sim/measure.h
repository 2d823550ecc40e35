/* SPDX-License-Identifier: MIT */
/* UAT_SIM_TASK=...,cpu=N adds to virtual time N percent of the processor time of program and runtime. */
#ifndef UAT_SIM_MEASURE_H
#define UAT_SIM_MEASURE_H

#include <stdint.h>

/* Virtual time in ns since the last call of uat_sim_measure_restart(); 0 unless cpu= is set. */
uint64_t uat_sim_measure_take(void);

/* Start to measure. Call this just before the program continues, so that the simulation's own processor time is not
 * counted. */
void uat_sim_measure_restart(void);

#endif
