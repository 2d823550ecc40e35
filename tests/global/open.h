/* SPDX-License-Identifier: MIT */
/* What the files of the program `open` share: see open.c. */
#ifndef UAT_TEST_OPEN_H
#define UAT_TEST_OPEN_H

#include <stdint.h>

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum {
    TASKS = 4,
    RANKS = 8, /* maximum number of ranks */
    FRESH = 12 /* objects of sync.h that can be used only once */
};

/* The objects that one task uses on one worker. No other task uses them, so no call on them waits. */
struct set {
    uat_mutex_t mutex;
    uat_condition_t condition;
    uat_semaphore_t semaphore; /* 2 units */
    uat_latch_t opened, latch;
    uat_task_barrier_t group; /* 1 member */
    uat_channel_t channel, full, shut;
    uat_future_t set, unset;
    uat_future_t future[FRESH];
    uat_latch_t last[FRESH];
    uat_channel_t closing[FRESH];
    uat_semaphore_t doomed[FRESH];
};

/* The calls of uat/sync.h in open_calls.c have numbers below CALLS. Each call with a number below USED_UP uses up one
 * object, number `fresh` of its kind. */
enum { USED_UP = 4, CALLS = 21 };
/* Make the call with this number. Returns 0 if it behaved correctly. */
int call_one(int which, const struct set *s, int fresh);
void make_set(struct set *s);
/* The part of the preparation that needs a task. */
void prepare_set(const struct set *s);

/* A cell. Some cells have a few bytes, and some have up to CELL_MAX bytes; see open_cells.c. */
struct cell {
    unsigned char *at;
    uint32_t bytes;
    int owner; /* a task, or TASKS + the number of a zone */
};

enum {
    OWN = 24,    /* number of each task's cells in the array */
    OBJECTS = 2, /* objects per task on each worker */
    ZONES = 3,   /* sets of shared cells; each set has another kind of guard */
    SHARED = 4,  /* shared cells per guard */
    CELL_MAX = 3000,
    OBJECT = 40, /* bytes */
    CELLS = TASKS * (OWN + OBJECTS * RANKS) + ZONES * SHARED,
    STRETCH = (TASKS * OWN + ZONES * SHARED) * CELL_MAX
};

extern struct cell cells[CELLS];
extern int cell_count;
extern uint64_t seed;

/* Place the cells of the array, one after the other. The order depends on the seed and is the same on all workers. */
void lay_out(unsigned char *array);
void add_cell(unsigned char *at, uint32_t bytes, int owner);
/* Each write of a cell has a version number, which determines the bytes. fill() writes a version. wrong_bytes() counts
 * the bytes that differ from a version. */
void fill(const struct cell *c, unsigned char *q, uint32_t version);
uint64_t wrong_bytes(const char *what, uint64_t task, const struct cell *c, const unsigned char *q, uint32_t version);
uint64_t tell_wrong(const char *what, uint64_t task, const struct cell *c, uint64_t wrong);

#endif
