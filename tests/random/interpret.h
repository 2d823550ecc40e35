/* SPDX-License-Identifier: MIT */
/* The interpreter of random programs, over global memory or over the reference's memory. */
#ifndef UAT_TEST_INTERPRET_H
#define UAT_TEST_INTERPRET_H

#include "tests/random/memory.h"
#include "tests/random/program.h"
#include "uat.h"
#include "uat/transfer.h"

enum { SMALL = 1024, PAYLOAD = 3 * 256, WALKER = 8512 };

/* A task's frame, which migrates with it. */
struct frame {
    uat_task_t child[CHILDREN];
    char result[CHILDREN][PAYLOAD];
    uat_group_t group[GROUPS];
    char *place[OPENS];
    uat_global_transfer_t transfer[OPENS];
    char local[OPENS][SMALL];
    _Alignas(16) char walker[WALKER]; /* a generator */
};

/* One in ask_every operations of tasks asks for a checkpoint; 0: no operation does. */
extern unsigned long ask_every;

/* Number of programs that this job has executed before. */
extern unsigned long executions;

/* Execute one operation. The reference passes NULL as the frame. */
void interpret(int index, struct frame *f);
void interpret_sync(const struct op *o);
void interpret_loop(int index);
void interpret_race(int index);
void interpret_word(int index);
void interpret_strided(const struct op *o, char *local, bool puts);
void interpret_next(int index, struct frame *f);
/* Each operation adds once to a reducer. When the root `first` of a run ends, every operation of the run must have
 * added exactly once. */
void note_executed(int index);
void check_executed(const struct op *first);
/* Note that the task has begun no generator. */
void generator_reset(struct frame *f);
/* Execute a critical section. */
void interpret_locked(const struct op *o);

/* A task, or the root of a run. arg: struct start. */
struct start {
    int first;
    bool drops; /* the caller discards the result */
    uint32_t payload;
    char bytes[PAYLOAD];
};
void interpret_task(void *arg, void *result);

/* The reference executes all operations before this one, including those of earlier runs, and stores what it sees. */
void reference_until(int index);

/* Compare the range's bytes, `seen`, with the bytes that the reference saw in this operation. In the reference, store
 * their hash. */
void check_bytes(int index, struct range range, const void *seen);
/* check_bytes() for a number. */
void check_number(int index, uint64_t seen, const char *what);
/* Check a condition that must hold in any order of tasks. */
void check_that(const struct op *o, bool holds, const char *what);

/* Each rank writes its share of a range before a run. */
void write_share(int run, int rank, int ranks);

#endif
