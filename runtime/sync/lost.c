/* SPDX-License-Identifier: MIT */
#include "runtime/sync/mutex.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/segment/heap.h"

struct text {
    char *at;
    size_t size, length;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = t->length < t->size ? vsnprintf(t->at + t->length, t->size - t->length, format, args) : 0;
    va_end(args);
    t->length += n > 0 ? (size_t)n : 0;
}

static uint64_t address_of(uint64_t name)
{
    return name & ((UINT64_C(1) << 48) - 1);
}

/* Returns the object in this block if it is a mutex that a task of `rank` holds; otherwise NULL. */
static struct uat_waitobj *held_by(struct uat_block *block, int rank)
{
    struct uat_waitobj *m = uat_block_stack(block);
    uint64_t locked = m->word[UAT_MUTEX_LOCKED];
    if (m->kind != (UAT_WAITOBJ_MAGIC | UAT_PARK_MUTEX))
        return NULL;
    /* Relaxed: read only for a message; pairs with the store or the WRITE in note_resumed(), mutex.c. */
    uint64_t where = locked == UAT_MUTEX_HANDED ? __atomic_load_n(uat_mutex_resumed_at(m), __ATOMIC_RELAXED) : locked;
    return where == (uint64_t)rank + 1 ? m : NULL;
}

static void add_held(struct text *t, const struct uat_waitobj *m)
{
    add(t, "%sa task there held mutex %" PRIx64 " of rank %d%s", t->length ? "; " : "", (uint64_t)(uintptr_t)m,
        uat_self.rank, m->head ? ", for which tasks wait" : "");
}

/* Report a task that waits here for a mutex whose home is lost. */
static void add_waiter(struct text *t, const struct uat_parked *p)
{
    add(t, "%sa task waits here for its mutex %" PRIx64, t->length ? "; " : "", address_of(p->object));
    if (p->holder)
        add(t, ", which rank %u held when the task began to wait", p->holder - 1);
}

bool uat_mutex_lost(int rank, char *text, size_t size)
{
    const struct uat_heap *heap = &uat_heap;
    struct text t = {.at = text, .size = size};
    for (size_t i = 0; i < heap->lent.count; i++) {
        size_t unit = heap->lent.items[i];
        if (unit >= heap->units) /* the signal came while the list grew, so the list's last item does not exist yet */
            continue;
        struct uat_block *block = (struct uat_block *)(heap->memory + unit * UAT_HEAP_UNIT);
        const struct uat_parked *p = (const struct uat_parked *)(void *)block;
        const struct uat_waitobj *m;
        /* Relaxed: read only for a message; pairs with the WRITE of uat_keeper_give_back(), task/keeper.c. */
        if (__atomic_load_n(&block->returned, __ATOMIC_RELAXED))
            continue;
        if (p->kind == UAT_PARK_OBJECT && (m = held_by(block, rank)))
            add_held(&t, m);
        else if (p->kind == UAT_PARK_MUTEX && uat_waitobj_rank(p->object) == rank)
            add_waiter(&t, p);
    }
    return t.length > 0;
}
