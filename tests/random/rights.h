/* SPDX-License-Identifier: MIT */
/*
 * Who may use what, while a program is made. A right is held by tasks, or by a place in a thing, where it waits for
 * the task that takes it. The only holder of bytes may write them; where there are several, each may read them. So a
 * program that passes rights on by what orders tasks, and by that alone, has no race.
 */
#ifndef UAT_TEST_RIGHTS_H
#define UAT_TEST_RIGHTS_H

#include "tests/random/program.h"

enum { RIGHTS = 1024, PLACES = 64 }; /* places 0 to TASKS - 1 are tasks */

enum right_kind {
    BYTES, /* a range */
    WORD,  /* an atomic word: a task that shares it only adds */
    OUT,   /* to set, count down, release, send or lock */
    IN     /* to get, wait, acquire or receive; a member of a group */
};

struct right {
    enum right_kind kind;
    int what; /* the word or thing */
    struct range range;
    uint64_t held; /* bit P: by place P */
    uint64_t name; /* a number that stays the same if other steps are left out */
};

extern struct right right[RIGHTS];
extern int rights;

/* A new right, held by one place; NULL if there are too many. */
struct right *right_new(enum right_kind kind, int what, uint64_t name, int holder);

static inline bool right_is_held(const struct right *r, int place)
{
    return r->held >> place & 1;
}

static inline bool right_is_sole(const struct right *r, int place)
{
    return r->held == UINT64_C(1) << place;
}

/* All that `from` holds goes to `to`, too. */
void rights_move(int from, int to);

/* A free place, or -1. */
int place_take(void);
void place_free(int place);

/* The place of a right among those of a kind and thing, or NULL. */
struct right *right_of(enum right_kind kind, int what);

/* Does `task` alone hold all of this thing? */
bool thing_is_sole(int thing, int task);

void rights_reset(void);

#endif
