/* SPDX-License-Identifier: MIT */
/*
 * Making a program: what the make_*.c files share. Each step has its own random numbers, so leaving out some steps does
 * not change the others.
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
    uint64_t room; /* most bytes of the cache that a task uses */
};

/* A task that is running, or has ended and is not joined. */
struct maker_task {
    bool lives, ended;
    int number, parent, depth; /* parent: its place; number: the step that spawned it */
    int first, last;           /* its operations */
    int slot;                  /* its slot among the parent's children */
    uint8_t way;               /* the way in which it was spawned */
    unsigned children;         /* bits of slots in use */
    struct open open[OPENS];
};

struct maker {
    const struct limits *limits;
    uint64_t state; /* random numbers of this step */
    uint32_t step;
    int at; /* the task that acts in this step */
    int frozen;
    bool open_sync;
    struct maker_task task[TASKS];
    struct range near[PLACES]; /* the range that each task used last; for other places, that their filler used last */
};

extern struct maker maker;

/* A random number below a limit; a size up to a limit, where small sizes are as likely as large ones. */
uint64_t draw(uint64_t below);
uint32_t draw_size(uint32_t most);
/* A hash of the name, which does not depend on the steps that were left out. */
uint64_t name_of(uint64_t name);

/* Append an operation of the task. Returns NULL if the program is full. */
struct op *emit(enum kind kind, int task);
bool has_room(int operations);
/* Append an operation on a thing, after close_before(). waits: does the operation wait? */
struct op *emit_on(enum kind kind, int task, int thing, bool waits);

/*
 * A thing for which the task holds this right, or -1. The thing is of the wanted kind, or with `any` of any kind but
 * mutexes and groups. sole: the task alone holds that right.
 */
int choose_thing(enum right_kind kind, enum thing_kind wanted, bool any, bool *sole);

/* Close everything that a task has open, in any order. */
void close_all(int task);
/* Before a call that waits, close everything. Before another call, close only what must not stay open during it. */
void close_before(int task, bool waits);

/* A right of the task, chosen by this step's random numbers; NULL if there is none. */
struct right *choose_right(int task, enum right_kind kind, bool sole);
/* A range of at most `most` bytes that the task may read or write, and that overlaps nothing that it has open. */
bool choose_range(int task, bool writes, uint32_t most, struct range *out);
/*
 * Accesses that reveal stale bytes. A task writes bytes before it passes on the rights to them. The task that takes the
 * rights reads the neighbourhood before, and those bytes afterwards.
 */
void write_before(int task);
void read_beside(int task, struct range near);
void read_after(int task, struct range near);
/* Does the cache have room for the range besides what is checked out? */
bool has_cache(int task, uint32_t bytes, uint64_t *room);

/* Give everything that `from` holds to `to`, which continues near it. */
void give_all(int from, int to);

/*
 * Give some of what `from` holds to `to`, or share it. carrier: the thing that it goes through, or -1. A thing carries
 * no rights of older things, so that no two things wait inside each other.
 */
void give_some(int from, int to, int carrier);

/* The steps, in make_*.c. A step that is impossible does nothing. */
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
void make_race(void);
void make_next(void);
void sync_reset(void);
void mutex_reset(void);
/* The root, which holds all rights, destroys what is left. */
void finish_things(void);
void finish_objects(void);

#endif
