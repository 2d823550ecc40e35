/* SPDX-License-Identifier: MIT */
/* Steps with atomic words. */
#include "tests/random/maker.h"

/* Ways 0 to 2 add. A task uses the other ways only if no other task holds the right to the word. */
void make_word(void)
{
    const struct right *r = choose_right(maker.at, WORD, draw(2));
    if (!r)
        return;
    for (uint64_t n = draw(3) ? 1 : 1 + draw(4); n > 0; n--) {
        struct op *o = emit(OP_WORD, maker.at);
        o->value = draw(3) ? draw(1000) : mix(o->stamp);
        o->way = (uint8_t)draw(right_is_sole(r, maker.at) ? WAYS_WORD : 3);
        o->word = r->what;
    }
}

/* One task publishes bytes through an atomic word. Another task reads them and acknowledges through the word. */
void make_publish(void)
{
    int other = (int)draw(TASKS);
    struct range range;
    uint64_t room;
    const struct right *r = choose_right(maker.at, WORD, true);
    if (!r || other == maker.at || !maker.task[other].lives || maker.task[other].ended)
        return;
    close_all(maker.at);
    close_all(other);
    if (!choose_range(maker.at, true, 3000, &range) || !has_cache(maker.at, range.bytes, &room))
        return;
    for (enum kind kind = OP_PUBLISH; kind <= OP_SEEN; kind++) {
        struct op *o = emit(kind, kind == OP_LOOK ? other : maker.at);
        o->range = range;
        o->word = r->what;
        o->way = (uint8_t)draw(2);
        o->value = name_of((uint64_t)(kind == OP_PUBLISH || kind == OP_LOOK));
        o->count = name_of(0);
    }
}
