/* SPDX-License-Identifier: MIT */
/*
 * Rules left out on purpose, to see that a test fails without them. Nothing but a constant in the library; in the copy
 * of it that tests/global builds with UAT_MUTANTS, the environment variable MUTANT names the rule that is left out.
 */
#ifndef UAT_MUTANT_H
#define UAT_MUTANT_H

#include <stdbool.h>

#ifdef UAT_MUTANTS
#include <stdlib.h>
#include <string.h>

static inline bool uat_mutant(const char *name)
{
    const char *chosen = getenv("MUTANT");
    return chosen && strcmp(chosen, name) == 0;
}
#else
static inline bool uat_mutant(const char *name)
{
    (void)name;
    return false;
}
#endif

#endif
