/* SPDX-License-Identifier: MIT */
#include "deque/chain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const enum uat_tag tag_after[] = {[UAT_POP_PRIVATE] = UAT_TAG_PRIVATE,
                                         /* The entry was published and taken back. It keeps its join record, so it is
                                          * tagged like an entry whose claim was aborted. */
                                         [UAT_POP_PARTED] = UAT_TAG_ABORTED,
                                         [UAT_POP_GONE] = UAT_TAG_GONE};

int uat_chain_take(struct uat_chain *chain, struct uat_deque *d)
{
    size_t n = uat_deque_size(d);
    if (n > chain->room) {
        uintptr_t *entries = realloc(chain->entries, n * sizeof(*entries));
        if (!entries)
            return -ENOMEM;
        chain->entries = entries;
        chain->room = n;
    }
    chain->count = n;
    if (uat_deque_is_secret(d)) { /* nothing is published */
        memcpy(chain->entries, d->entries, n * sizeof(*chain->entries));
        d->top = d->entries;
    }
    unsigned cap = d->cap;
    d->cap = 0; /* a pop publishes nothing */
    while (uat_deque_size(d) > 0) {
        uintptr_t sp;
        enum uat_pop pop = uat_deque_pop(d, &sp);
        d->cap = 0;
        chain->entries[uat_deque_size(d)] = sp | tag_after[pop];
    }
    d->cap = cap;
    d->first = d->last = 0;
    return 0;
}

void uat_chain_put(const struct uat_chain *chain, struct uat_deque *d)
{
    for (size_t i = 0; i < chain->count; i++) {
        d->entries[i] = chain->entries[i];
        if ((chain->entries[i] & UAT_TAG_MASK) == UAT_TAG_ABORTED && d->aborted++ == 0)
            d->oldest_aborted = i;
    }
    d->top = d->entries + chain->count;
    uat_deque_look_always(d);
}

int uat_chain_check(const struct uat_chain *chain, uintptr_t low, uintptr_t high, size_t capacity)
{
    uintptr_t above = high;
    if (chain->sp == 0)
        return chain->count == 0 && chain->join == 0 ? 0 : -EINVAL;
    if (chain->count == 0 || chain->count > capacity || (chain->entries[0] & UAT_TAG_MASK) != UAT_TAG_GONE)
        return -EINVAL;
    for (size_t i = 0; i < chain->count; i++) {
        uintptr_t base = uat_chain_base(chain, i), tag = chain->entries[i] & UAT_TAG_MASK;
        bool known = tag == UAT_TAG_PRIVATE || tag == UAT_TAG_ABORTED || tag == UAT_TAG_GONE;
        if (!known || base < low || base > above)
            return -EINVAL;
        above = base;
    }
    return chain->sp >= low && chain->sp < above && chain->sp % 8 == 0 && (chain->join == 0 || chain->join >= chain->sp)
               ? 0
               : -EINVAL;
}
