/* SPDX-License-Identifier: MIT */
/*
 * Copies of memory in whole 8-byte words, because the transport promises whole words (O4).
 *
 * memcpy may move bytes in pieces of any size, and may move a byte more than once. So memcpy could tear a word that a
 * peer stores at the same time. So these functions copy each word by one relaxed atomic load and one relaxed atomic
 * store. On the local side plain accesses would suffice, because until the chain is complete only this CPU uses that
 * memory. But they would compile to the same instructions.
 *
 * AddressSanitizer does not check these copies, because they may cover a whole stack, including its red zones.
 */
#ifndef UAT_TRANSPORT_WORDS_H
#define UAT_TRANSPORT_WORDS_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) uat_word; /* the copied objects are of any type */

#define UAT_ANY_BYTES __attribute__((no_sanitize("address")))

UAT_ANY_BYTES static inline uint64_t uat_word_load(const uat_word *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

UAT_ANY_BYTES static inline void uat_word_store(uat_word *to, uint64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/* Copy four words per iteration, so that a stack of 64 KiB is copied at about one word per cycle. */
UAT_ANY_BYTES static inline void uat_words_copy(uat_word *to, const uat_word *from, size_t words)
{
    size_t i = 0;
    for (; i + 4 <= words; i += 4) {
        uint64_t a = uat_word_load(from + i), b = uat_word_load(from + i + 1);
        uint64_t c = uat_word_load(from + i + 2), d = uat_word_load(from + i + 3);
        uat_word_store(to + i, a);
        uat_word_store(to + i + 1, b);
        uat_word_store(to + i + 2, c);
        uat_word_store(to + i + 3, d);
    }
    for (; i < words; i++)
        uat_word_store(to + i, uat_word_load(from + i));
}

#endif
