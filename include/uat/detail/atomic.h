/* SPDX-License-Identifier: MIT */
/* The bodies of the functions of uat/atomic.h. */
#ifndef UAT_DETAIL_ATOMIC_H
#define UAT_DETAIL_ATOMIC_H

#include "../atomic.h" /* needed if a program includes this header first */

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif
#pragma GCC visibility push(default)

UAT_INLINE uint64_t uat_atomic_fetch_max(uat_atomic_t *word, uint64_t value)
{
    uint64_t old = uat_atomic_load(word), found;
    while (old < value && (found = uat_atomic_cmp_swap(word, old, value)) != old)
        old = found;
    return old;
}

UAT_INLINE uint64_t uat_atomic_fetch_min(uat_atomic_t *word, uint64_t value)
{
    uint64_t old = uat_atomic_load(word), found;
    while (old > value && (found = uat_atomic_cmp_swap(word, old, value)) != old)
        old = found;
    return old;
}

UAT_INLINE int64_t uat_atomic_fetch_max_signed(uat_atomic_t *word, int64_t value)
{
    uint64_t old = uat_atomic_load(word), found;
    while ((int64_t)old < value && (found = uat_atomic_cmp_swap(word, old, (uint64_t)value)) != old)
        old = found;
    return (int64_t)old;
}

UAT_INLINE int64_t uat_atomic_fetch_min_signed(uat_atomic_t *word, int64_t value)
{
    uint64_t old = uat_atomic_load(word), found;
    while ((int64_t)old > value && (found = uat_atomic_cmp_swap(word, old, (uint64_t)value)) != old)
        old = found;
    return (int64_t)old;
}

UAT_INLINE uint64_t uat_atomic_fetch_and(uat_atomic_t *word, uint64_t bits)
{
    uint64_t old = uat_atomic_load(word), found;
    while ((old & bits) != old && (found = uat_atomic_cmp_swap(word, old, old & bits)) != old)
        old = found;
    return old;
}

UAT_INLINE uint64_t uat_atomic_fetch_or(uat_atomic_t *word, uint64_t bits)
{
    uint64_t old = uat_atomic_load(word), found;
    while ((old | bits) != old && (found = uat_atomic_cmp_swap(word, old, old | bits)) != old)
        old = found;
    return old;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
