/* SPDX-License-Identifier: MIT */
/* The end of the job by an error. */
#ifndef UAT_FATAL_H
#define UAT_FATAL_H

#include <stdbool.h>

/* Print one line and end the job everywhere, with status 1. Does not run exit handlers. */
_Noreturn void uat_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* End the job everywhere after an error that has been reported. */
_Noreturn void uat_fatal_reported(void) __attribute__((cold));

/* Declare this process a fork of a worker: its end does not end the job, and it must not use the connection to the
 * launcher. */
void uat_fatal_detach(void);

/* If `on`, exit() is an error from now on: the other workers would wait for this worker forever. Otherwise exit() is
 * allowed again. */
void uat_fatal_at_exit(bool on);

/* Note that an error has been reported: the program is now expected to exit with a nonzero status. */
void uat_fatal_note_reported(void);

/* For functions that report their errors themselves: end the job if rc is negative. */
static inline int uat_check(int rc)
{
    if (__builtin_expect(rc < 0, 0))
        uat_fatal_reported();
    return rc;
}

#endif
