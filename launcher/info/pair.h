/* SPDX-License-Identifier: MIT */
/*
 * Two processes connected over verbs. Without launcher and bootstrap, they are a parent and its child on this host.
 * Otherwise a launcher has started the two processes, on one host or on two. Rank 0 is the parent, or the launcher's
 * first process. Each process has its own segment, and both segments have the same address.
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

/* The functions by which the two processes meet. Both processes must call exchange() and meet() in the same order. */
struct pair_way {
    /* Give the other process a blob, and get both blobs: out[0] and out[1]. They are valid until the pair ends. Returns
     * 0 or a negative errno after reporting the error. */
    int (*exchange)(struct pair *pair, const void *blob, size_t size, struct uat_endpoint out[2]);
    /* See pair_meet(). Called only when both are connected. */
    uint32_t (*meet)(struct pair *pair, uint32_t word);
    /* Has the other process been lost? If so, print a line and exit with status 1. */
    void (*look)(struct pair *pair);
    /* Called before this process exits while the other process may be waiting for a meeting. */
    void (*give_up)(void);
};

struct pair {
    int rank;
    struct uat_transport *transport;
    int segment_fd;  /* the memory object of the segment; peers on this host may open it */
    char *segment;   /* PAIR_SEGMENT bytes: the transport's part, then PAIR_WORDS words, then PAIR_MEETINGS bytes */
    uint64_t *words; /* zeros at first */
    uint32_t meetings, looks;
    const char *hosts[2];
    const struct pair_way *way;
    void *of_way;
};

/* The function that both processes run; arg is the argument of pair_run(). */
typedef void pair_fn(struct pair *pair, void *arg);

/*
 * Run fn in two processes. With a launcher, these are the two processes that it has started. Without a launcher, they
 * are this process and a child. The child exits after fn. Each process has its own arg. *rank: the caller's rank.
 * Returns 0. If fn could not run or the other process has failed, reports this and returns a negative errno.
 */
int pair_run(pair_fn *fn, void *arg, int *rank);

/* The two kinds of pair_run(). */
int pair_fork(struct pair *pair, pair_fn *fn, void *arg);
int pair_launched(struct pair *pair, pair_fn *fn, void *arg);

/* Map the segment, open the transport, run fn, close the transport, unmap the segment. Returns 0 or a negative errno
 * after reporting the error. */
int pair_side(struct pair *pair, pair_fn *fn, void *arg);

/*
 * Wait until both processes have called this. Each process then sees everything that the other process did before the
 * call. Returns the word that the other process brought.
 */
uint32_t pair_meet(struct pair *pair, uint32_t word);

/* Call this in every loop that waits for the other process. This call ends this process if the other process is
 * lost. */
void pair_look(struct pair *pair);

/* Post a chain to a rank, and wait for it. After a failure, reports the failure and exits with status 1. */
void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count);

#endif
