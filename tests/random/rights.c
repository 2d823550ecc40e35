/* SPDX-License-Identifier: MIT */
#include "tests/random/rights.h"

struct right right[RIGHTS];
int rights;
static uint64_t used; /* bit P: place P is in use */

void rights_reset(void)
{
    rights = 0;
    used = (UINT64_C(1) << TASKS) - 1;
}

struct right *right_new(enum right_kind kind, int what, uint64_t name, int holder)
{
    if (rights == RIGHTS)
        return NULL;
    right[rights] = (struct right){.kind = kind, .what = what, .name = name, .held = UINT64_C(1) << holder};
    return &right[rights++];
}

void rights_move(int from, int to)
{
    for (int i = 0; i < rights; i++)
        if (right_is_held(&right[i], from))
            right[i].held = (right[i].held & ~(UINT64_C(1) << from)) | UINT64_C(1) << to;
}

int place_take(void)
{
    for (int i = TASKS; i < PLACES; i++)
        if (!(used >> i & 1)) {
            used |= UINT64_C(1) << i;
            return i;
        }
    return -1;
}

void place_free(int place)
{
    used &= ~(UINT64_C(1) << place);
}

struct right *right_of(enum right_kind kind, int what)
{
    for (int i = 0; i < rights; i++)
        if (right[i].kind == kind && right[i].what == what && right[i].held)
            return &right[i];
    return NULL;
}

bool thing_is_sole(int thing, int task)
{
    for (int i = 0; i < rights; i++)
        if ((right[i].kind == OUT || right[i].kind == IN) && right[i].what == thing && !right_is_sole(&right[i], task))
            return false;
    return true;
}
