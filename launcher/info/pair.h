/* SPDX-License-Identifier: MIT */
/*
 * Two processes joined over verbs. They are either a parent and its child on this host, without launcher and bootstrap,
 * or two processes that a launcher has started, on one host or two. Rank 0 is the parent, or the launcher's first
 * process. Each process has its own segment, and both segments have the same address.
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

/* The way in which the two processes meet. Both call all functions, in the same order. */
struct pair_way {
    /* Give the other process a blob and get both blobs: out[0], out[1]; valid until the pair ends. Returns 0 or a
     * negative errno, reported. */
    int (*exchange)(struct pair *pair, const void *blob, size_t size, struct uat_endpoint out[2]);
    /* See pair_meet(). Called once both are connected. */
    uint32_t (*meet)(struct pair *pair, uint32_t word);
    /* Has the other process been lost? If so, print a line and exit with status 1. */
    void (*look)(struct pair *pair);
    /* Called before this process exits while the other one waits for a meeting with it. */
    void (*give_up)(void);
};

struct pair {
    int rank;
    struct uat_transport *transport;
    char *segment;   /* PAIR_SEGMENT bytes: the transport's part, PAIR_WORDS words, PAIR_MEETINGS bytes */
    uint64_t *words; /* zeros at first */
    uint32_t meetings, looks;
    const char *hosts[2];
    const struct pair_way *way;
    void *of_way;
};

/* The function that both processes run; arg is the one given to pair_run(). */
typedef void pair_fn(struct pair *pair, void *arg);

/*
 * Run fn in two processes. They are the two that a launcher has started, joined by PMIx. Without a launcher they are
 * this process and a child, which exits after fn. Each process has its own arg. *rank is the caller's rank. Returns 0,
 * or a negative errno, reported, if fn could not be run or the other process has failed.
 */
int pair_run(pair_fn *fn, void *arg, int *rank);

/* pair_run() for either kind of pair; the segment is mapped. */
int pair_fork(struct pair *pair, pair_fn *fn, void *arg);
int pair_launched(struct pair *pair, pair_fn *fn, void *arg);

/* Join the transport, run fn, leave. 0 or a negative errno, reported. */
int pair_side(struct pair *pair, pair_fn *fn, void *arg);

/*
 * Wait until both processes have called this. Each then sees everything that the other one did before the call. Returns
 * the word that the other process brought.
 */
uint32_t pair_meet(struct pair *pair, uint32_t word);

/* Call this in every loop that the other process must end, so that the loop also ends if that process is lost. */
void pair_look(struct pair *pair);

/* Post a chain to a rank and wait for it. A failure is reported and exits with status 1. */
void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count);

#endif
