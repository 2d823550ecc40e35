/* SPDX-License-Identifier: MIT */
/*
 * Swap and store, by CMP_SWAP: an adapter has no other atomic that sets a word, and a word that it changes atomically
 * is changed by nothing else (atomic.c).
 */
#include "global/state.h"
#include "runtime/watch/die.h"

static uint64_t swap(const char *call, uat_atomic_t *word, uint64_t desired)
{
    uintptr_t at = (uintptr_t)word;
    if (at % 8)
        uat_die("%s: %p is not aligned to 8 bytes", call, (const void *)word);
    uat_array_refuse_frozen(call, uat_array_check(call, at, 8), at, 8);
    uint64_t old = uat_atomic_load(word), found;
    while ((found = uat_atomic_cmp_swap(word, old, desired)) != old)
        old = found;
    return old;
}

uint64_t uat_atomic_swap(uat_atomic_t *word, uint64_t desired)
{
    return swap("uat_atomic_swap()", word, desired);
}

void uat_atomic_store(uat_atomic_t *word, uint64_t desired)
{
    swap("uat_atomic_store()", word, desired);
}
