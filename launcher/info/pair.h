/* SPDX-License-Identifier: MIT */
/*
 * Two processes joined over verbs: of this host, without launcher and bootstrap; or those that a launcher has started,
 * on two hosts. Rank 0 is the caller or the launcher's first. Each has its own segment, at one address.
 */
#ifndef UAT_INFO_PAIR_H
#define UAT_INFO_PAIR_H

#include "transport/transport.h"

enum {
    PAIR_SEGMENT = 1 << 20,
    PAIR_MEETINGS = 4096,
    PAIR_WORDS = (PAIR_SEGMENT - UAT_TRANSPORT_SCRATCH - PAIR_MEETINGS) / 8
};

struct pair;

/* How two processes meet. All functions are called by both, in the same order. */
struct pair_way {
    /* Give the other one a blob and get those of both: out[0], out[1]; valid until the pair ends. 0, or a negative
     * errno, reported. */
    int (*exchange)(struct pair *pair, const void *blob, size_t size, struct uat_endpoint out[2]);
    /* See pair_meet(). Called once both are connected. */
    uint32_t (*meet)(struct pair *pair, uint32_t word);
    /* Has the other one been lost? Then this process ends, with status 1 and a line. */
    void (*look)(struct pair *pair);
    /* Before a process ends whose peer waits for it. */
    void (*give_up)(void);
};

struct pair {
    int rank;
    struct uat_transport *transport;
    char *segment; /* PAIR_SEGMENT bytes: the transport's part, PAIR_WORDS words, and PAIR_MEETINGS bytes of the way */
    uint64_t *words; /* zeros at first */
    uint32_t meetings, looks;
    const char *hosts[2];
    const struct pair_way *way;
    void *of_way;
};

/* What both processes do; arg is what was given to pair_run(). */
typedef void pair_fn(struct pair *pair, void *arg);

/*
 * Run fn in both processes: in those of a launcher that has started two, by PMIx; else in this one and a child of it,
 * which ends with fn. arg is of each process its own; *rank: the caller's. 0, or a negative errno, reported, when it
 * could not be run or the other one has failed.
 */
int pair_run(pair_fn *fn, void *arg, int *rank);

/* pair_run() in either way; the segment is mapped. */
int pair_fork(struct pair *pair, pair_fn *fn, void *arg);
int pair_launched(struct pair *pair, pair_fn *fn, void *arg);

/* Join the transport, run fn, leave. 0 or a negative errno, reported. */
int pair_side(struct pair *pair, pair_fn *fn, void *arg);

/*
 * Wait for the other one; what either did before, the other one sees afterwards. Returns the word that it has brought.
 */
uint32_t pair_meet(struct pair *pair, uint32_t word);

/* To be called in a loop that the other one ends: so that it also ends when that one is lost. */
void pair_look(struct pair *pair);

/* Post a chain to a rank and wait for it. A failure, which has been reported then, ends the process, with status 1. */
void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count);

#endif
