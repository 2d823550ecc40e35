/* SPDX-License-Identifier: MIT */
#include "runtime/task/exception.h"

#include <stddef.h>

#include "runtime/watch/die.h"

/* Itanium C++ ABI, Exception Handling, 2.2.2. */
struct globals {
    void *caught;      /* exceptions in catch blocks, the innermost first */
    unsigned uncaught; /* exceptions thrown and not yet caught */
};

/* Weak: NULL in a program without C++. */
extern struct globals *__cxa_get_globals(void) __attribute__((weak));

static struct globals outside;

void uat_exception_begin(void)
{
    if (__cxa_get_globals)
        outside = *__cxa_get_globals();
}

void uat_exception_check(const char *call)
{
    if (!__cxa_get_globals)
        return;
    const struct globals *now = __cxa_get_globals();
    if (now->uncaught != outside.uncaught)
        uat_die("%s was called while an exception unwinds the stack, in a destructor; the task could not migrate",
                call);
    if (now->caught != outside.caught)
        uat_die("%s was called in a catch block; the task could not migrate: leave the block first", call);
}
