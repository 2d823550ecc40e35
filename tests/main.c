/* SPDX-License-Identifier: MIT */
/* Description: runs the tests that TEST() has added, for unit tests without a main() of their own. */
#include "tests/test.h"

int main(void)
{
    return tests_run();
}
