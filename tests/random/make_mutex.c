/* SPDX-License-Identifier: MIT */
/* Steps with mutexes and their conditions. Critical sections may run in the order of the list or in any other order,
 * because they commute. */
#include <string.h>

#include "tests/random/maker.h"

enum { TURNS = 250 /* maximum number of critical sections, because a byte counts them */, LOOP = 20 };

static uint32_t turns[THINGS];

void mutex_reset(void)
{
    memset(turns, 0, sizeof(turns));
}

/* A critical section. It adds 1 to each byte that the mutex guards. */
void make_locked(void)
{
    bool sole;
    uint64_t room;
    int thing = choose_thing(OUT, MUTEX, false, &sole);
    if (thing < 0)
        return;
    if (draw(5) == 0) {
        emit_on(OP_TRY_LOCK, maker.at, thing, program.thing[thing].special);
        return;
    }
    if (turns[thing] == TURNS || (program.thing[thing].range.bytes && program.thing[thing].range.area == maker.frozen))
        return;
    bool waits = !sole || program.thing[thing].special; /* a biased mutex is locked on its home */
    close_before(maker.at, waits);
    if (!has_cache(maker.at, program.thing[thing].range.bytes, &room))
        return;
    bool loops = draw(6) == 0 && turns[thing] + LOOP <= TURNS;
    struct op *o = emit_on(loops ? OP_FOR : OP_LOCKED, maker.at, thing, loops || waits);
    o->range = program.thing[thing].range;
    o->count = loops ? 1 + draw(LOOP) : 1;
    turns[thing] += (uint32_t)o->count;
}

/* Wait until some of the critical sections before this operation in the list have run. */
void make_condition(void)
{
    bool sole;
    int thing = choose_thing(OUT, MUTEX, false, &sole);
    if (thing < 0 || !program.thing[thing].range.bytes)
        return;
    struct op *o = emit_on(OP_CONDITION, maker.at, thing, true);
    o->range = program.thing[thing].range;
    o->count = draw(turns[thing] + 1);
}
