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
    uint64_t room; /* the cache's bytes that the range needs at most; 0: a transfer */
};

/* A task that is running, or that has ended and was not yet joined. */
struct maker_task {
    bool lives, ended;
    int number, parent, depth; /* parent: the parent's place; number: the step that spawned this task */
    int first, last;           /* its operations */
    int slot;                  /* its slot among the parent's children */
    uint8_t way;               /* the way by which it was spawned */
    unsigned children;         /* a bit for each slot in use */
    struct open open[OPENS];
};

struct maker {
    const struct limits *limits;
    uint64_t state; /* state of this step's random numbers */
    uint32_t step;
    int at; /* the task that this step is for */
    int frozen;
    bool open_sync;
    struct maker_task task[TASKS];
    struct range near[PLACES]; /* the range that the task used last; for a place that is not a task, the last range of
                                * the task that filled the place */
};

extern struct maker maker;

/* A random number below a limit, and a random size up to a limit. The size has a random number of bits, so small sizes
 * are as likely as large sizes. */
uint64_t draw(uint64_t below);
uint32_t draw_size(uint32_t most);
/* A hash of the name. It does not depend on steps that were left out. */
uint64_t name_of(uint64_t name);

/* Append an operation of the task, and return it. Traps if the program is full; has_room() tells in advance. */
struct op *emit(enum kind kind, int task);
bool has_room(int operations);
/* Append an operation on a thing, after close_before(). waits: whether the operation waits. */
struct op *emit_on(enum kind kind, int task, int thing, bool waits);

/*
 * Returns a thing to which the task holds this right, or -1. The thing is of the wanted kind. With `any` it may be of
 * any kind except mutexes and groups. *sole: whether no other task holds that right.
 */
int choose_thing(enum right_kind kind, enum thing_kind wanted, bool any, bool *sole);

/* Close everything that the task has open, in any order. */
void close_all(int task);
/* Before a call that waits, close everything. Before another call, close everything or nothing: maker.open_sync
 * decides. */
void close_before(int task, bool waits);

/* A right of the task, chosen by this step's random number; NULL if there is none. */
struct right *choose_right(int task, enum right_kind kind, bool sole);
/* A range of at most `most` bytes that the task may read or write, and that does not overlap what the task has open. */
bool choose_range(int task, bool writes, uint32_t most, struct range *out);
/*
 * Accesses that would reveal stale bytes. A task writes bytes before it passes the rights to these bytes on. The task
 * that takes the rights reads neighbouring bytes before it takes them, and the passed bytes afterwards.
 */
void write_before(int task);
void read_beside(int task, struct range near);
void read_after(int task, struct range near);
/* Whether the cache has room for a range of this size in addition to what is checked out. *room gets the number of the
 * cache's bytes that the range needs at most. */
bool has_cache(int task, uint32_t bytes, uint64_t *room);

/* Pass to `to` everything that `from` holds. From then on, `to` works near the range that `from` used last. */
void give_all(int from, int to);

/*
 * Pass some of what `from` holds on to `to`, or share it with `to`. carrier: the thing through which the rights pass,
 * or -1. A thing carries no rights to itself or to older things, so no two things hold rights to each other.
 */
void give_some(int from, int to, int carrier);

/* The steps, which are in make_*.c. A step that is impossible does nothing. */
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
/* At the end the root holds all rights. It destroys the remaining things. */
void finish_things(void);
void finish_objects(void);

#endif
