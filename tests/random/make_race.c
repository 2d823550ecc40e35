/* SPDX-License-Identifier: MIT */
/* A step with tasks that race for objects that only they use, and steps with a generator. */
#include "tests/random/maker.h"

enum { RANGE = 6000, PIECE = 3000 };

void make_race(void)
{
    struct range range;
    uint64_t room;
    close_all(maker.at);
    if (!choose_range(maker.at, true, RANGE, &range) || !has_cache(maker.at, range.bytes, &room))
        return;
    struct op *o = emit(OP_RACE, maker.at);
    o->range = range;
    o->way = (uint8_t)draw(RACES);
    o->count = 3 + draw(RACERS - 2);
}

/* The last operation of this task that used its generator, or -1. */
static int last_next(int task)
{
    int last = -1;
    for (int i = maker.task[task].first; i >= 0; i = program.op[i].next)
        if (program.op[i].kind == OP_NEXT)
            last = i;
    return last;
}

/* Take the next value of the task's generator. The first such step starts the generator. The generator stays in the
 * task's frame, whatever operations follow. */
void make_next(void)
{
    struct range range;
    uint64_t room;
    int last = last_next(maker.at);
    if (!choose_range(maker.at, false, PIECE, &range) || !has_cache(maker.at, range.bytes, &room))
        return;
    struct op *o = emit(OP_NEXT, maker.at);
    o->range = range;
    o->way = (uint8_t)draw(4);
    o->link = last >= 0 && draw(6) ? last : -1;
}
