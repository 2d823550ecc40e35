/* SPDX-License-Identifier: MIT */
/* Random numbers (xorshift, Marsaglia 2003) for choices that need not be secret. Each caller keeps its own state. */
#ifndef UAT_RANDOM_H
#define UAT_RANDOM_H

#include <stdint.h>

struct uat_random {
    uint64_t state; /* never 0 */
};

/* Consecutive seeds and streams give unrelated sequences. */
static inline struct uat_random uat_random_seed(uint64_t seed, uint64_t stream)
{
    return (struct uat_random){((seed + 1) * 0x9e3779b97f4a7c15u + stream * 0xbf58476d1ce4e5b9u) | 1};
}

static inline uint64_t uat_random_next(struct uat_random *random)
{
    uint64_t r = random->state;
    r ^= r << 13;
    r ^= r >> 7;
    r ^= r << 17;
    return random->state = r;
}

#endif
