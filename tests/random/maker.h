/* SPDX-License-Identifier: MIT */
/*
 * The making of a program, shared by the files that do it. Each step decides by random numbers of its own, so that a
 * program in which steps are left out is like the whole one in all others.
 */
#ifndef UAT_TEST_MAKER_H
#define UAT_TEST_MAKER_H

#include "tests/mix.h"
#include "tests/random/program.h"
#include "tests/random/rights.h"

struct open {
    bool used, writes;
    int op;
    struct range range;
    uint64_t room; /* of the cache, at most */
};

/* A task that lives, or has ended and is not joined. */
struct maker_task {
    bool lives, ended;
    int number, parent, depth; /* parent: its place; number: the step that spawned it */
    int first, last;           /* operations */
    int slot;                  /* of the parent's children */
    uint8_t way;               /* in which it was spawned */
    unsigned children;         /* bits of slots in use */
    struct open open[OPENS];
};

struct maker {
    const struct limits *limits;
    uint64_t state; /* random numbers of this step */
    uint32_t step;
    int at; /* the task that does something */
    int frozen;
    bool open_sync;
    struct maker_task task[TASKS];
    struct range near[PLACES]; /* what a task has used last; of other places, what the one that filled it had */
};

extern struct maker maker;

/* Below a limit; a size up to a limit, small ones as often as large ones. */
uint64_t draw(uint64_t below);
uint32_t draw_size(uint32_t most);
/* A number that is the same whatever was left out. */
uint64_t name_of(uint64_t name);

/* A new operation of the task; the program is full if NULL. */
struct op *emit(enum kind kind, int task);
bool has_room(int operations);
/* One on a thing, after what must end before a call that waits, or does not. */
struct op *emit_on(enum kind kind, int task, int thing, bool waits);

/*
 * A thing of which the task holds this right, or -1: of the kind that is wanted, or any but mutexes and groups. sole: it
 * alone holds that right.
 */
int choose_thing(enum right_kind kind, enum thing_kind wanted, bool any, bool *sole);

/* Everything that a task has open ends, in any order. */
void close_all(int task);
/* The same before a call that waits, or before one that does not unless ranges may stay open there. */
void close_before(int task, bool waits);

/* What a task holds that is chosen by the step: NULL if there is none. */
struct right *choose_right(int task, enum right_kind kind, bool sole);
/* A range that it may read or write, of at most this many bytes, which meets nothing that it has open. */
bool choose_range(int task, bool writes, uint32_t most, struct range *out);
/*
 * What finds bytes that are older than they may be: a task writes before it passes on; the one that takes reads what
 * lies beside it before, and the same afterwards.
 */
void write_before(int task);
void read_beside(int task, struct range near);
void read_after(int task, struct range near);
/* Does the cache have room for it besides what is checked out? */
bool has_cache(int task, uint32_t bytes, uint64_t *room);

/* All that `from` holds goes to `to`, which goes on near it. */
void give_all(int from, int to);

/*
 * Some of what `from` holds goes to `to`, or is shared with it. carrier: the thing that it goes through, or -1; the
 * thing takes no rights of older ones, so that no two wait in each other.
 */
void give_some(int from, int to, int carrier);

/* make_*.c: steps. They do nothing if they cannot. */
void make_read(void);
void make_write(void);
void make_burst(void);
void make_open(void);
void make_begin(void);
void make_close(void);
void make_prefetch(void);
void make_alloc(void);
void make_free(void);
void make_word(void);
void make_publish(void);
void make_create(void);
void make_destroy(void);
void make_event(void);
void make_taken(void);
void make_select(void);
void make_locked(void);
void make_condition(void);
void make_group(void);
void make_loop(void);
void sync_reset(void);
void mutex_reset(void);
/* The root, which holds all, destroys what is left. */
void finish_things(void);
void finish_objects(void);

#endif
