/* SPDX-License-Identifier: MIT */
/*
 * Objects lent to peers: join records and evacuated stacks whose last user is another worker. That user returns the
 * object with a fire-and-forget WRITE of 1 to its `returned` word. The owner polls these words when it needs an object.
 */
#ifndef UAT_LOANS_H
#define UAT_LOANS_H

#include <stddef.h>
#include <stdint.h>

/* What messages call the `returned` word. */
#define UAT_LOANS_MARK "the mark of a join record or a block that is given back"

struct uat_loans {
    uint32_t *items; /* numbers of the lent objects, unordered */
    uint32_t *where; /* where[item]: its place in items */
    size_t count, capacity;
    size_t cursor; /* where the next scan starts */
};

/* capacity: how many objects can be lent. 0 or -ENOMEM. */
int uat_loans_open(struct uat_loans *loans, size_t capacity);
void uat_loans_close(struct uat_loans *loans);

/* Lend item (less than capacity). Its returned word must be 0. */
static inline void uat_loans_add(struct uat_loans *loans, uint32_t item)
{
    loans->where[item] = (uint32_t)loans->count;
    loans->items[loans->count++] = item;
}

/* Remove item from the lent ones: no peer ever saw it, or its owner knows that it is back. */
static inline void uat_loans_remove(struct uat_loans *loans, uint32_t item)
{
    uint32_t last = loans->items[--loans->count], place = loans->where[item];
    loans->items[place] = last;
    loans->where[last] = place;
}

/* Scan at most `most` objects; call take(context, item) for each returned one. Returns how many were. */
size_t uat_loans_collect(struct uat_loans *loans, size_t most,
                         const uint64_t *(*returned)(void *context, uint32_t item),
                         void (*take)(void *context, uint32_t item), void *context);

#endif
