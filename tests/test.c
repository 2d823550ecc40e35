/* SPDX-License-Identifier: MIT */
#include "tests/test.h"

#include <errno.h>
#include <stdlib.h>

enum { TESTS_MAX = 64 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;

void tests_add(const struct CMUnitTest *test)
{
    if (count == TESTS_MAX)
        abort();
    tests[count++] = *test;
}

int tests_run(void)
{
    return count == 0 || _cmocka_run_group_tests(program_invocation_short_name, tests, count, NULL, NULL);
}
