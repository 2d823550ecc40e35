/* SPDX-License-Identifier: MIT */
/*
 * Unit tests with cmocka. TEST(name) { ... } defines a test and adds it to the tests of its program. The tests run in
 * the order of their definition. A program without a main() of its own runs its tests and does nothing else.
 */
#ifndef UAT_TESTS_TEST_H
#define UAT_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void tests_add(const struct CMUnitTest *test);

/* Run all tests. Returns the value that main() must return: 0 if no test failed. */
int tests_run(void);

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A test with a setup before it and a teardown after it; NULL: none. The constructor's priority is the test's line, so
 * the tests run in the order of their lines. */
#define TEST_WITH(name, setup, teardown)                                                                               \
    static void test_##name(void **state);                                                                             \
    static void __attribute__((constructor(1000 + __LINE__))) add_##name(void)                                         \
    {                                                                                                                  \
        tests_add(&(struct CMUnitTest){"test_" #name, test_##name, setup, teardown, NULL});                            \
    }                                                                                                                  \
    static void test_##name(__attribute__((unused)) void **state)

#endif
