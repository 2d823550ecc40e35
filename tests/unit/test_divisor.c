/* SPDX-License-Identifier: MIT */
/* Description: division by a reciprocal gives the exact quotient at all edges. The edges are the multiples of the
 * divisor and their neighbours, up to the largest dividend. The divisors are small, large and random. */
#include "base/divisor.h"
#include "tests/test.h"

#define DIVIDEND_MAX ((UINT64_C(1) << 31) - 1)

static void compare(uint64_t dividend, uint64_t number)
{
    if (dividend <= DIVIDEND_MAX)
        assert_int_equal(uat_quotient(dividend, uat_divisor(number)), dividend / number);
}

static void check_edges(uint64_t number, uint64_t random)
{
    const uint64_t last = DIVIDEND_MAX / number, somewhere = random % (last + 1);
    const uint64_t multiples[] = {0, 1, 2, 3, last / 2, last - (last > 0), last, somewhere};
    for (size_t i = 0; i < sizeof(multiples) / sizeof(multiples[0]); i++)
        for (uint64_t shift = 0; shift < 3; shift++)
            compare(multiples[i] * number + shift - (multiples[i] > 0), number);
    compare(DIVIDEND_MAX, number);
    compare(random & DIVIDEND_MAX, number);
}

TEST(quotients)
{
    uint64_t random = 88172645463325252;
    for (uint64_t number = 1; number < 5000; number++)
        check_edges(number, number * 0x9e3779b97f4a7c15);
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        check_edges((random & UINT32_MAX) | 1, random >> 20);
        check_edges(UINT32_MAX - (random & 1023), random >> 20);
        check_edges(UINT64_C(1) << random % 32, random >> 20);
    }
}
