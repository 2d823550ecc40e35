/* SPDX-License-Identifier: MIT */
/*
 * C++ exceptions and tasks. The C++ runtime keeps what is thrown and what is caught in a list of the process's own
 * thread, and the exception itself in the process's own heap. So a task that spawns or joins in a catch block, or in a
 * destructor while an exception unwinds the stack, must not migrate there. Checked in the slow paths of spawn and join;
 * UAT_TORTURE=steal and evacuate send every spawn there.
 */
#ifndef UAT_EXCEPTION_H
#define UAT_EXCEPTION_H

#include <stdbool.h>

/* A run begins: remember the exceptions that the program itself is handling around uat_run(). */
void uat_exception_begin(void);

/* Is the C++ runtime in this process? */
extern bool uat_exception_possible __attribute__((visibility("hidden")));

/* The check itself, with the C++ runtime at hand. */
void uat_exception_refuse(const char *call);

/* End the job if this thread handles another exception than at uat_exception_begin(). call: "uat_spawn()" or
 * "uat_join()". */
static inline void uat_exception_check(const char *call)
{
    if (__builtin_expect(uat_exception_possible, 0))
        uat_exception_refuse(call);
}

#endif
