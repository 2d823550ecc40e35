/* SPDX-License-Identifier: MIT */
/* Description: under iso-address, the first touch of a page is counted once per worker, place and page, for many
 * places. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "transport_sim/fault.h"

enum { PLACES = 5000, HIGH = 1 << 30 };

static void test_touches(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int victim = 0; victim < 2; victim++)
            for (int i = 0; i < PLACES; i++)
                assert_int_equal(uat_sim_fault_pages(victim, HIGH - 64 * (uintptr_t)i - 300, HIGH - 64 * (uintptr_t)i),
                                 round == 0);
    /* A longer stack at the same place touches only the new pages. */
    assert_int_equal(uat_sim_fault_pages(0, HIGH - 4096, HIGH), 0);
    assert_int_equal(uat_sim_fault_pages(0, HIGH - 4097, HIGH), 1);
    assert_int_equal(uat_sim_fault_pages(0, HIGH - 5 * 4096, HIGH), 3);
    assert_int_equal(uat_sim_fault_pages(0, HIGH - 300, HIGH), 0);
    assert_int_equal(uat_sim_fault_pages(2, HIGH - 5 * 4096, HIGH), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
