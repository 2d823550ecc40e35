/* SPDX-License-Identifier: MIT */
/* Division by a number that is known long before: a multiplication by its reciprocal. */
#ifndef UAT_DIVISOR_H
#define UAT_DIVISOR_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uat_wide;

struct uat_divisor {
    uint64_t reciprocal; /* 2^63 / number, rounded up */
};

/* number: 1 to 2^32 - 1. */
static inline struct uat_divisor uat_divisor(uint64_t number)
{
    return (struct uat_divisor){((UINT64_C(1) << 63) - 1) / number + 1};
}

/*
 * dividend / number, rounded down; dividend below 2^31. Exact: the reciprocal is too large by less than 1, so the product is
 * too large by less than dividend / 2^63, and a quotient is at least 1 / number, more than 2^-32, below the next integer.
 */
static inline uint64_t uat_quotient(uint64_t dividend, struct uat_divisor by)
{
    return (uint64_t)((uat_wide)dividend * by.reciprocal >> 63);
}

#endif
