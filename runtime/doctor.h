/* SPDX-License-Identifier: MIT */
/*
 * `uatrun --doctor program`: the self-test of an installation, run by the program's own copy of the runtime instead of
 * the program.
 */
#ifndef UAT_DOCTOR_H
#define UAT_DOCTOR_H

#include <stdbool.h>

#define UAT_DOCTOR_VARIABLE "UATRUN_DOCTOR" /* in the environment: uatrun wants the self-test */

bool uat_doctor_wanted(void);

/* After uat_init(): test, print the table (rank 0), leave the job. Collective. Returns the process's status: 0 or 1. */
int uat_doctor_examine(void);

#endif
