/* SPDX-License-Identifier: MIT */
/*
 * What the litmus tests share. Rank 1 is the thief: it posts chains to the segment of rank 0, the victim. The victim's
 * CPU accesses this segment, and in some tests the victim also posts chains to it, through its queue pair to itself. So
 * that the two collide, the victim waits for a time that changes from trial to trial.
 */
#ifndef UAT_INFO_LITMUS_TEST_H
#define UAT_INFO_LITMUS_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "launcher/info/pair.h"

enum { LITMUS_TESTS = 23 };

struct litmus_result {
    const char *name, *meaning; /* meaning: the outcome that was looked for */
    const char *rule;           /* the rule of transport/transport.h that speaks of it, and that of docs/atomics.md */
    bool allowed;               /* the rules allow the outcome, so it is no failure */
    uint64_t trials;            /* 0: the test needs what this host does not have */
    uint64_t seen;              /* trials with this outcome; additions that were lost */
};

/* Offsets in both segments, in words. They are at least a cache line apart. */
enum { FLAG = 0, DATA = 64, DONE = 128, PAYLOAD = 256, PAYLOAD_WORDS = 64, LANDING = 1024, ALL = 2 * LANDING };
_Static_assert(ALL <= (int)PAIR_WORDS, "fit into the segments");

/* Each process has its own board. */
struct board {
    uint64_t trials;
    uint64_t trip; /* time of a READ of the other process's memory, in ticks of the processor's counter */
    int rc;
    struct litmus_result *results; /* each process fills in some results; in the end both processes have all results */
    char hosts[2][64];
};

struct litmus_test {
    const char *name;
    const char *rule; /* of transport/transport.h, and of docs/atomics.md */
    const char *meaning;
    void (*run)(struct pair *pair, struct board *board, struct litmus_result *r);
};

/* Tests of what the protocols rely on: the outcome is forbidden. Tests of what they do not rely on: it is allowed. */
enum { LITMUS_FORBIDDEN = 7, LITMUS_ALLOWED = LITMUS_TESTS - LITMUS_FORBIDDEN };
extern const struct litmus_test litmus_forbidden[LITMUS_FORBIDDEN];
extern const struct litmus_test litmus_allowed[LITMUS_ALLOWED];

/* Acquire: pairs with the chains of pair_do() that change the word. The loads that follow are not carried out before
 * this one; what they see of a chain is the tests' question. */
static inline uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Wait for 0 to 2 round trips of the calling process, and in each second series of trials for 0 to 16: on a busy host
 * the other process may notice a meeting late. The time changes from trial to trial. */
static inline void keep_distance(const struct board *board, uint64_t trial)
{
    enum { DISTANCES = 64, NEAR = 2, FAR = 16 };
    uint64_t most = board->trip * (trial / DISTANCES % 2 ? FAR : NEAR);
    uint64_t began = uat_cpu_counter(), ticks = most * (trial % DISTANCES) / DISTANCES;
    while (uat_cpu_counter() - began < ticks)
        ;
}

static inline void tell_done(struct pair *pair)
{
    uint64_t *w = pair->words;
    w[LANDING] = 1;
    struct uat_op op = uat_op_write(w + LANDING, w + DONE, 8);
    pair_do(pair, 0, &op, 1);
}

/*
 * In trial i the thief posts `count` operations that give their words the value i: WRITEs of the words at LANDING + 8,
 * and FETCH_ADDs of 1. A CPU of the victim waits until the word at `last` has this value. The outcome counts if the CPU
 * then finds an older value in the `words` words at `first`.
 */
void litmus_look_back(struct pair *pair, struct board *board, struct litmus_result *r, const struct uat_op *ops,
                      int count, int last, int first, int words);

/* The thief adds to the lower half of a word. This is who adds to its upper half. */
enum litmus_adder { LITMUS_ADAPTER, LITMUS_CPU, LITMUS_SECOND_ADAPTER };

/* The thief and the victim add to one word. The outcome is an addition that is missing at the end. */
void litmus_add_add(struct pair *pair, struct board *board, struct litmus_result *r, enum litmus_adder adder);

/* The tests of litmus_one_word.c that are allowed. */
void litmus_cpu_adapter(struct pair *pair, struct board *board, struct litmus_result *r);
void litmus_two_adapters(struct pair *pair, struct board *board, struct litmus_result *r);
void litmus_write_cmp_swap(struct pair *pair, struct board *board, struct litmus_result *r);
void litmus_unlock_write(struct pair *pair, struct board *board, struct litmus_result *r);
void litmus_unlock_swap(struct pair *pair, struct board *board, struct litmus_result *r);

/* Tests of the properties that the protocols need from a device: order of operations, whole words, atomicity. */

struct litmus {
    int rank;          /* 0 or 1; of two processes that a launcher has started, only rank 0 prints the results */
    char hosts[2][64]; /* the hosts of the processes; equal if both run on one host */
    struct litmus_result results[LITMUS_TESTS];
};

/* Run all tests between two processes, `trials` trials of each test. The two processes are those that a launcher has
 * started. Without a launcher they are this process and a child. Returns 0, or a negative errno if the tests could not
 * run. */
int litmus_run(uint64_t trials, struct litmus *out);

#endif
