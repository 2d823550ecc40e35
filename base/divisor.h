/* SPDX-License-Identifier: MIT */
/* Fast division by a number known in advance: multiply by the number's reciprocal. */
#ifndef UAT_DIVISOR_H
#define UAT_DIVISOR_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uat_wide;

struct uat_divisor {
    uint64_t reciprocal; /* 2^63 / number, rounded up */
};

/* number: from 1 to 2^32 - 1. */
static inline struct uat_divisor uat_divisor(uint64_t number)
{
    return (struct uat_divisor){((UINT64_C(1) << 63) - 1) / number + 1};
}

/*
 * dividend / number, rounded down; dividend must be below 2^31. The result is exact. Proof: `reciprocal` exceeds 2^63 /
 * number by less than 1. So the product, divided by 2^63, exceeds the quotient by less than dividend / 2^63 < 2^-32.
 * The quotient is below the next integer by at least 1 / number > 2^-32.
 */
static inline uint64_t uat_quotient(uint64_t dividend, struct uat_divisor by)
{
    return (uint64_t)((uat_wide)dividend * by.reciprocal >> 63);
}

#endif
