/* SPDX-License-Identifier: MIT */
/* Steps with the patterns of uat/pattern.h. */
#include "tests/random/maker.h"

enum { PIECE = 5000, PIECES = 200, CALLS = 3 };

void make_loop(void)
{
    static const uint8_t kinds[] = {OP_FOR, OP_REDUCE, OP_SCAN, OP_SORT, OP_BLOCKS, OP_INVOKE};
    static const uint8_t elements[] = {1, 2, 4, 8, 12, 16, 24, 40};
    enum kind kind = (enum kind)kinds[draw(6)];
    struct range range;
    if (maker.limits->without >> kind & 1)
        return;
    close_all(maker.at);
    if (!choose_range(maker.at, kind != OP_REDUCE, UINT32_MAX, &range))
        return;
    if (kind == OP_INVOKE && range.bytes > CALLS * PIECE)
        range.bytes = CALLS * PIECE;
    const struct right *word = choose_right(maker.at, WORD, false);
    uint8_t access = (uint8_t)(word ? 1 + draw(3) : 2);
    struct op *o = emit(kind, maker.at);
    o->word = word ? word->what : -1;
    o->range = range;
    o->way = (uint8_t)draw(8);
    if (kind == OP_SORT || kind == OP_BLOCKS) {
        o->count = elements[draw(8)];
    } else {
        o->count = draw_size(PIECE);
        if (range.bytes / o->count > PIECES)
            o->count = range.bytes / PIECES + 1;
    }
    o->access = access;
}
