/* SPDX-License-Identifier: MIT */
#include "runtime/segment/lent.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/word.h"

int uat_lent_open(struct uat_lent *lent, size_t capacity)
{
    *lent = (struct uat_lent){.items = malloc(capacity * sizeof(uint32_t)),
                              .where = malloc(capacity * sizeof(uint32_t)),
                              .capacity = capacity};
    if (lent->items && lent->where)
        return 0;
    uat_lent_close(lent);
    return -ENOMEM;
}

void uat_lent_close(struct uat_lent *lent)
{
    free(lent->items);
    free(lent->where);
    *lent = (struct uat_lent){0};
}

size_t uat_lent_collect(struct uat_lent *lent, size_t most, const uint64_t *(*returned)(void *context, uint32_t item),
                        void (*take)(void *context, uint32_t item), void *context)
{
    size_t taken = 0;
    if (most >=
        lent->count) /* a full scan starts at the front, so that a removal moves up only an object not scanned yet */
        lent->cursor = 0;
    for (size_t looks = most < lent->count ? most : lent->count; looks > 0 && lent->count > 0; looks--) {
        if (lent->cursor >= lent->count)
            lent->cursor = 0;
        uint32_t item = lent->items[lent->cursor];
        /* Acquire: orders this load of the mark before the object's next use. Pairs with the WRITE in
         * uat_keeper_give_back(), which is posted after the READ of the object has completed. */
        uint64_t mark = uat_cpu_load_acquire(returned(context, item));
        if (__builtin_expect(mark > 1, 0))
            uat_word_refuse(-1, UAT_LENT_MARK, mark);
        if (mark == 0) {
            lent->cursor++;
            continue;
        }
        uat_lent_remove(lent, item);
        take(context, item);
        taken++;
    }
    return taken;
}
