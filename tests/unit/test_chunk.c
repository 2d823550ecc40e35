/* SPDX-License-Identifier: MIT */
/* Description: the length of a loop's chunks. Light iterations cause few checks for thieves, no chunk is long, and the
 * length falls quickly when heavy iterations follow. Clocks that disagree do no harm. */
#include "pattern/chunk.h"
#include "tests/test.h"

/* Run n iterations of `cycles` cycles each. Returns the number of chunks. */
static int64_t run(int64_t n, int64_t cycles, int64_t grain, int64_t *length)
{
    int64_t chunks = 0;
    while (n > 0) {
        int64_t taken = uat_chunk_take(*length, n, grain);
        assert_in_range(taken, 1, n);
        assert_true(taken >= grain || taken == n);
        assert_true(taken * cycles <= 2 * UAT_CHUNK_CYCLES || taken == grain);
        *length = uat_chunk_adapt(*length, taken, (uint64_t)(taken * cycles), grain);
        assert_true(*length >= grain);
        n -= taken;
        chunks++;
    }
    return chunks;
}

TEST(light_iterations_take_few_looks)
{
    int64_t length = 1, n = 2000000, cycles = 4;
    int64_t full = n * cycles / UAT_CHUNK_CYCLES;
    assert_in_range(run(n, cycles, 1, &length), full / 2, 2 * full + 50);
    assert_true(length * cycles >= UAT_CHUNK_CYCLES / 2);
    /* A range that starts with the right length needs only a few extra chunks, near its end. */
    assert_in_range(run(8 * length, cycles, 1, &length), 8, 32);
    assert_in_range(run(length, cycles, 1, &length), 4, 20);
}

TEST(grain)
{
    int64_t length = 100;
    assert_int_equal(run(1000, UAT_CHUNK_CYCLES, 100, &length), 10);
    assert_int_equal(length, 100);
    assert_false(uat_chunk_may_split(100, 100, 100));
    assert_true(uat_chunk_may_split(100, 101, 100));
}

TEST(heavy_after_light)
{
    int64_t length = 1;
    run(1000000, 4, 1, &length);
    /* Iterations become a thousand times as heavy: one chunk is too long, the next one fits, and the rest may be
     * split. */
    int64_t taken = uat_chunk_take(length, 2000, 1);
    assert_true(taken <= 500);
    length = uat_chunk_adapt(length, taken, (uint64_t)taken * 4000, 1);
    assert_in_range(length * 4000, UAT_CHUNK_CYCLES / 2, 2 * UAT_CHUNK_CYCLES);
    assert_true(uat_chunk_may_split(length, 2000 - taken, 1));
    /* For every initial length, a chunk of a short range is at most a quarter of the range. (A chunk may be larger only
     * if the quarter is less than 1/UAT_CHUNK_LEAST of a full chunk.) */
    assert_true(uat_chunk_take(8192, 1200, 1) <= 300);
}

TEST(clocks_that_do_not_agree)
{
    assert_int_equal(uat_chunk_adapt(1000, 1000, UINT64_MAX, 10), 10);
    assert_int_equal(uat_chunk_adapt(1000, 1000, 0, 10), 2000);
    assert_int_equal(uat_chunk_adapt(INT64_MAX - 1, INT64_MAX - 1, 0, 1), INT64_MAX - 1);
    assert_int_equal(uat_chunk_adapt(INT64_MAX, INT64_MAX, 2 * UAT_CHUNK_CYCLES, 1), INT64_MAX);
}
