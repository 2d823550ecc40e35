/* SPDX-License-Identifier: MIT */
/*
 * Rights say which task may use what. The maker of a program knows all rights. Tasks hold rights. A place in a thing
 * also holds a right, until a task takes the right. A task that alone holds the right to bytes may write them. If there
 * are several holders, all may only read. A program passes rights on only through operations that order tasks, so it
 * has no race.
 */
#ifndef UAT_TEST_RIGHTS_H
#define UAT_TEST_RIGHTS_H

#include "tests/random/program.h"

enum { RIGHTS = 1024, PLACES = 64 }; /* places 0 to TASKS - 1 are tasks */

enum right_kind {
    BYTES, /* the right to a range */
    WORD,  /* the right to an atomic word; tasks that share it only add */
    OUT,   /* the right to set, count down, release, send or lock */
    IN     /* the right to get, wait, acquire or receive, or membership in a group */
};

struct right {
    enum right_kind kind;
    int what; /* the number of the word or thing */
    struct range range;
    uint64_t held; /* bit P: held by place P */
    uint64_t name; /* a number that does not depend on steps that were left out */
};

extern struct right right[RIGHTS];
extern int rights;

/* Create a right with one holder. Returns NULL if there is no room for another right. */
struct right *right_new(enum right_kind kind, int what, uint64_t name, int holder);

static inline bool right_is_held(const struct right *r, int place)
{
    return r->held >> place & 1;
}

static inline bool right_is_sole(const struct right *r, int place)
{
    return r->held == UINT64_C(1) << place;
}

/* Give `to` everything that `from` holds. */
void rights_move(int from, int to);

/* A free place, or -1. */
int place_take(void);
void place_free(int place);

/* The right of this kind to this thing, or NULL if there is none. */
struct right *right_of(enum right_kind kind, int what);

/* Whether `task` is the only holder of all rights to this thing. */
bool thing_is_sole(int thing, int task);

void rights_reset(void);

#endif
