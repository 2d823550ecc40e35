/* SPDX-License-Identifier: MIT */
#include "runtime/segment/loans.h"

#include <errno.h>
#include <stdlib.h>

#include "base/word.h"

int uat_loans_open(struct uat_loans *loans, size_t capacity)
{
    *loans = (struct uat_loans){.items = malloc(capacity * sizeof(uint32_t)),
                                .where = malloc(capacity * sizeof(uint32_t)),
                                .capacity = capacity};
    if (loans->items && loans->where)
        return 0;
    uat_loans_close(loans);
    return -ENOMEM;
}

void uat_loans_close(struct uat_loans *loans)
{
    free(loans->items);
    free(loans->where);
    *loans = (struct uat_loans){0};
}

size_t uat_loans_collect(struct uat_loans *loans, size_t most,
                         const uint64_t *(*returned)(void *context, uint32_t item),
                         void (*take)(void *context, uint32_t item), void *context)
{
    size_t taken = 0;
    if (most >=
        loans->count) /* a full scan starts at the front: then a removal moves up only an object not scanned yet */
        loans->cursor = 0;
    for (size_t looks = most < loans->count ? most : loans->count; looks > 0 && loans->count > 0; looks--) {
        if (loans->cursor >= loans->count)
            loans->cursor = 0;
        uint32_t item = loans->items[loans->cursor];
        /* Acquire: orders this load of the mark before the object's next use. The peer is the WRITE in give_back(),
         * join.c, which is posted after its READ of the object has completed. */
        uint64_t mark = __atomic_load_n(returned(context, item), __ATOMIC_ACQUIRE);
        if (__builtin_expect(mark > 1, 0))
            uat_word_refuse(-1, UAT_LOANS_MARK, mark);
        if (mark == 0) {
            loans->cursor++;
            continue;
        }
        uat_loans_remove(loans, item);
        take(context, item);
        taken++;
    }
    return taken;
}
