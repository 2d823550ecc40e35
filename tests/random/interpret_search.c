/* SPDX-License-Identifier: MIT */
/*
 * Searches that end early. A search is a cancellable group, whose children have inner groups. Each leaf writes a piece,
 * and the leaf at the goal cancels the search. After a cancelled search each piece is either written as a whole or
 * unchanged. If no leaf cancels, all pieces must be written.
 */
#include <string.h>

#include "tests/random/race.h"

enum { BRANCHES = 6, LEAVES = 5, ALL = BRANCHES * LEAVES };
_Static_assert((int)ALL <= (int)PIECES, "each leaf has a piece");

struct search {
    int index, number; /* number: that of the leaf, or of a branch's first leaf */
    int goal;          /* number of the leaf that cancels; ALL or more: no leaf does */
    uat_cancel_t cancel;
};

static void leaf(void *arg, void *result)
{
    const struct search *s = arg;
    struct race r = {.o = &program.op[s->index], .random = (uint64_t)s->number};
    (void)result;
    if (race_pick(&r, 2) && uat_cancelled(s->cancel))
        return;
    race_fill(&r, s->number);
    if (s->number != s->goal)
        return;
    uat_group_cancel(s->cancel);
    check_that(r.o, uat_cancelled(s->cancel), "a cancelled group on the worker that has cancelled it");
}

static void branch(void *arg, void *result)
{
    struct search s = *(const struct search *)arg;
    uat_group_t group;
    (void)result;
    uat_group_begin_in(&group, s.cancel);
    for (int i = 0; i < LEAVES; i++, s.number++)
        uat_group_spawn(&group, leaf, &s, sizeof(s));
    uat_group_wait(&group);
}

/* Returns whether leaf `number` has written its piece. */
static bool has_written(const struct op *o, int number, const struct range range)
{
    const char *place = memory_checkout(range, UAT_READ);
    bool written = stamp_is(place, race_stamp(o, number), 0, range.bytes);
    for (uint32_t i = 0; i < range.bytes; i++)
        check_that(o, written || place[i] == 0, "a piece of a search");
    memory_checkin(range, UAT_READ);
    return written;
}

static void check_pieces(const struct op *o, int goal)
{
    int missing = 0;
    bool reached = goal >= ALL || race_part(o, goal, PIECES).bytes == 0;
    for (int i = 0; i < ALL; i++) {
        struct range range = race_part(o, i, PIECES);
        if (range.bytes && !has_written(o, i, range))
            missing++;
        else
            reached |= i == goal;
    }
    check_that(o, missing == 0 || (goal < ALL && reached), "a piece that no cancelled group accounts for");
}

static void run_search(int index, uat_group_t *group, int goal, uat_cancel_t cancel)
{
    const struct op *o = &program.op[index];
    memset(memory_checkout(o->range, UAT_WRITE), 0, o->range.bytes);
    memory_checkin(o->range, UAT_WRITE);
    struct search s = {.index = index, .goal = goal, .cancel = cancel};
    for (int i = 0; i < BRANCHES; i++, s.number += LEAVES)
        uat_group_spawn(group, branch, &s, sizeof(s));
    uat_group_wait(group);
    check_pieces(o, goal);
}

void race_in_search(int index)
{
    int goal = (int)(program.op[index].stamp % (ALL + ALL / 2));
    uat_group_t group;
    uat_group_begin(&group);
    run_search(index, &group, goal, uat_group_make_cancellable(&group));
    run_search(index, &group, ALL, (uat_cancel_t){0}); /* now it is a normal group again */
}
