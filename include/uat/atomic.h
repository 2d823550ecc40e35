/* SPDX-License-Identifier: MIT */
/* Minima, maxima and bits of the atomic words of uat/global.h, which has their rules. */
#ifndef UAT_ATOMIC_H
#define UAT_ATOMIC_H

#include "global.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Set the word to the maximum or minimum of its value and `value`, as unsigned or as signed numbers; or clear or set
 * bits. These functions return the old value, and the change is done when the call returns. On a far word they take one
 * round trip if the word keeps its value. Otherwise they take two or more, like uat_atomic_swap().
 */
UAT_INLINE uint64_t uat_atomic_fetch_max(uat_atomic_t *word, uint64_t value);
UAT_INLINE uint64_t uat_atomic_fetch_min(uat_atomic_t *word, uint64_t value);
UAT_INLINE int64_t uat_atomic_fetch_max_signed(uat_atomic_t *word, int64_t value);
UAT_INLINE int64_t uat_atomic_fetch_min_signed(uat_atomic_t *word, int64_t value);
UAT_INLINE uint64_t uat_atomic_fetch_and(uat_atomic_t *word, uint64_t bits);
UAT_INLINE uint64_t uat_atomic_fetch_or(uat_atomic_t *word, uint64_t bits);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "detail/atomic.h" /* the bodies of the inline functions above */

#endif
