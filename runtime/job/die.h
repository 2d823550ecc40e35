/* SPDX-License-Identifier: MIT */
/* The end of the job by an error. */
#ifndef UAT_DIE_H
#define UAT_DIE_H

#include <stdbool.h>

/* Print one line and end the job everywhere, with status 1. Does not run exit handlers. */
_Noreturn void uat_die(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* End the job everywhere after an error that has been reported. */
_Noreturn void uat_die_silently(void) __attribute__((cold));

/* Declare this process a fork of a worker: its end does not end the job, and it must not use the connection to the
 * launcher. */
void uat_die_alone(void);

/* While on, exit() is an error, because the other workers would never stop waiting for this one. */
void uat_die_at_exit(bool on);

/* Note that an error has been reported: the program is now expected to exit with a nonzero status. */
void uat_die_explained(void);

/* For functions that report their errors themselves: end the job if rc is negative. */
static inline int uat_check(int rc)
{
    if (__builtin_expect(rc < 0, 0))
        uat_die_silently();
    return rc;
}

#endif
