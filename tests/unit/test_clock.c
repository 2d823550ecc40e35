/* SPDX-License-Identifier: MIT */
/* Description: a worker's time-stamp counter is mapped to rank 0's counter. The two counters differ in start and in
 * speed. */
#include "runtime/trace/clock.h"
#include "tests/test.h"

TEST(same_counter)
{
    const struct uat_clock first = {1000, 1000}, last = {900000, 900000};
    assert_int_equal(uat_clock_map(&first, &last, 1000), 1000);
    assert_int_equal(uat_clock_map(&first, &last, 4567), 4567);
    assert_int_equal(uat_clock_map(&first, &last, 999), 999);
}

TEST(offset)
{
    const struct uat_clock ahead = {1000, 5000}, later = {2000, 6000};
    assert_int_equal(uat_clock_map(&ahead, &later, 1500), 5500);
    /* The other counter began near the end of its range, so differences wrap. */
    const struct uat_clock wraps = {100, UINT64_MAX - 99}, after = {400, 200};
    assert_int_equal(uat_clock_map(&wraps, &after, 150), UINT64_MAX - 49);
    assert_int_equal(uat_clock_map(&wraps, &after, 350), 150);
}

TEST(speed)
{
    const struct uat_clock first = {0, 1000}, last = {1000000, 2001000}; /* rank 0's counter runs twice as fast */
    assert_int_equal(uat_clock_map(&first, &last, 500000), 1001000);
    assert_int_equal(uat_clock_map(&first, &last, 1000000), 2001000);
    assert_int_equal(uat_clock_map(&first, &last, 1), 1002);
}

/* Two comparisons with no time between them do not determine the speed: only the offset is used. */
TEST(no_span)
{
    const struct uat_clock first = {1000, 5000}, same = {1000, 5000}, back = {2000, 4000};
    assert_int_equal(uat_clock_map(&first, &same, 1001), 5001);
    assert_int_equal(uat_clock_map(&first, &back, 1500), 5500);
}
