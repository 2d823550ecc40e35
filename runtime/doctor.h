/* SPDX-License-Identifier: MIT */
/*
 * `uatrun --doctor program`: the self-test of an installation. The program's own copy of the runtime runs the tests;
 * the program itself does not run.
 */
#ifndef UAT_DOCTOR_H
#define UAT_DOCTOR_H

#include <stdbool.h>

/* Does uatrun want the self-test? */
bool uat_doctor_wanted(void);

/* Run the tests once the job has started, and print the table on rank 0. reason: why this transport was chosen.
 * Collective. Returns whether all tests passed. */
bool uat_doctor_examine(const char *reason);

#endif
