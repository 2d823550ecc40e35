/* SPDX-License-Identifier: MIT */
/*
 * Which task may use what, while a program is made. Tasks hold a right, or a place in a thing holds it until a task
 * takes it. The sole holder of bytes may write them; if there are several holders, each may read them. A program passes
 * rights on only by operations that order tasks, so it has no race.
 */
#ifndef UAT_TEST_RIGHTS_H
#define UAT_TEST_RIGHTS_H

#include "tests/random/program.h"

enum { RIGHTS = 1024, PLACES = 64 }; /* places 0 to TASKS - 1 are tasks */

enum right_kind {
    BYTES, /* a range */
    WORD,  /* an atomic word: tasks that share it only add */
    OUT,   /* may set, count down, release, send or lock */
    IN     /* may get, wait, acquire or receive; a member of a group */
};

struct right {
    enum right_kind kind;
    int what; /* number of the word or thing */
    struct range range;
    uint64_t held; /* bit P: held by place P */
    uint64_t name; /* a number that does not depend on steps that are left out */
};

extern struct right right[RIGHTS];
extern int rights;

/* Create a right with one holder. Returns NULL if there are too many rights. */
struct right *right_new(enum right_kind kind, int what, uint64_t name, int holder);

static inline bool right_is_held(const struct right *r, int place)
{
    return r->held >> place & 1;
}

static inline bool right_is_sole(const struct right *r, int place)
{
    return r->held == UINT64_C(1) << place;
}

/* `to` also gets everything that `from` holds. */
void rights_move(int from, int to);

/* A free place, or -1. */
int place_take(void);
void place_free(int place);

/* The right of this kind to this thing, or NULL. */
struct right *right_of(enum right_kind kind, int what);

/* Does `task` alone hold all rights to this thing? */
bool thing_is_sole(int thing, int task);

void rights_reset(void);

#endif
