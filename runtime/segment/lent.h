/* SPDX-License-Identifier: MIT */
/*
 * Objects lent to peers: join records and evacuated stacks whose last user is another worker. That user returns the
 * object with a fire-and-forget WRITE of 1 to its `returned` word. The owner polls these words when it needs an object.
 */
#ifndef UAT_LENT_H
#define UAT_LENT_H

#include <stddef.h>
#include <stdint.h>

/* What messages call the `returned` word. */
#define UAT_LENT_MARK "the mark of a join record, a stack or a block that is given back"

struct uat_lent {
    uint32_t *items; /* numbers of the lent objects, unordered */
    uint32_t *where; /* where[item]: its place in items */
    size_t count, capacity;
    size_t cursor; /* where the next scan starts */
};

/* capacity: the number of objects that can be lent. Returns 0 or -ENOMEM. */
int uat_lent_open(struct uat_lent *lent, size_t capacity);
void uat_lent_close(struct uat_lent *lent);

/* Lend item (less than capacity). Its returned word must be 0. */
static inline void uat_lent_add(struct uat_lent *lent, uint32_t item)
{
    lent->where[item] = (uint32_t)lent->count;
    lent->items[lent->count++] = item;
}

/* Remove item from the list, because no peer ever saw the object, or because the owner knows that it is back. */
static inline void uat_lent_remove(struct uat_lent *lent, uint32_t item)
{
    uint32_t last = lent->items[--lent->count], place = lent->where[item];
    lent->items[place] = last;
    lent->where[last] = place;
}

/* Scan at most `most` objects. Remove each returned object from the list, and call take(context, item) for it. Returns
 * the number of returned objects. */
size_t uat_lent_collect(struct uat_lent *lent, size_t most, const uint64_t *(*returned)(void *context, uint32_t item),
                        void (*take)(void *context, uint32_t item), void *context);

#endif
