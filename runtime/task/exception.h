/* SPDX-License-Identifier: MIT */
/*
 * C++ exceptions and tasks. The C++ runtime keeps thrown and caught exceptions in a thread-local list of the process,
 * and the exception objects in the process's heap. So a task must not migrate in a catch block, nor in a destructor
 * that runs because an exception unwinds the stack. The slow paths of spawn and join check this. UAT_TORTURE=steal and
 * UAT_TORTURE=evacuate send every spawn to the slow path.
 */
#ifndef UAT_EXCEPTION_H
#define UAT_EXCEPTION_H

#include <stdbool.h>

/* Remember the exceptions that the program is handling outside of uat_run(). Called at the start of a run. */
void uat_exception_begin(void);

/* Forget the exceptions of tasks that are dropped. Their memory is lost. */
void uat_exception_drop(void);

/* Is the C++ runtime in this process? */
extern bool uat_exception_possible __attribute__((visibility("hidden")));

/* The check itself. Requires the C++ runtime. */
void uat_exception_refuse(const char *call);

/* End the job if this thread handles an exception that it did not handle at uat_exception_begin(). call: "uat_spawn()"
 * or "uat_join()". */
static inline void uat_exception_check(const char *call)
{
    if (__builtin_expect(uat_exception_possible, 0))
        uat_exception_refuse(call);
}

#endif
