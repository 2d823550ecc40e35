/* SPDX-License-Identifier: MIT */
#include "runtime/task/exception.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/streams.h"
#include "include/uat/detail/failure.h"
#include "runtime/job/fatal.h"

/* Itanium C++ ABI, Exception Handling, 2.2.2. */
struct globals {
    void *caught;      /* exceptions in catch blocks, the innermost first */
    unsigned uncaught; /* exceptions thrown and not yet caught */
};

/* Weak: NULL in a program without C++. */
extern struct globals *__cxa_get_globals(void) __attribute__((weak));

static struct globals outside;

struct uat_failing uat_failing;

bool uat_exception_possible;

void uat_exception_begin(void)
{
    uat_exception_possible = __cxa_get_globals != NULL;
    if (uat_exception_possible)
        outside = *__cxa_get_globals();
}

void uat_exception_drop(void)
{
    if (uat_exception_possible)
        *__cxa_get_globals() = outside;
}

void uat_exception_refuse(const char *call)
{
    const struct globals *now = __cxa_get_globals();
    if (now->uncaught != outside.uncaught)
        uat_fatal("%s was called while an exception unwinds the stack, in a destructor; the task could not migrate",
                  call);
    if (now->caught != outside.caught)
        uat_fatal("%s was called in a catch block; the task could not migrate: leave the block first", call);
}

void uat_end_by_exception(const char *event, const char *what)
{
    if (!event)
        uat_fatal_reported();
    uat_error("%s: %s", event, what);
    uat_flush();
    abort(); /* abort as std::terminate() does, for a debugger or a core file */
}
