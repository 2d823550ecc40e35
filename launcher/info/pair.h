/* SPDX-License-Identifier: MIT */
/*
 * Two processes of this host joined over verbs, without launcher and bootstrap: the caller is rank 0, a child is
 * rank 1. Each has its own segment, at one address.
 */
#ifndef UAT_INFO_PAIR_H
#define UAT_INFO_PAIR_H

#include "base/options.h"
#include "transport/transport.h"

enum { PAIR_SEGMENT = 1 << 20 };

struct pair_shared;

struct pair {
    int rank;
    struct uat_transport *transport;
    uint64_t *words; /* the segment behind the transport's part of it; zeros at first */
    struct pair_shared *shared;
};

/* Run fn in both. board: memory of pair_share(), seen by both. 0, or a negative errno when it could not be run, or
 * the child failed. */
int pair_run(const struct uat_options *options, void (*fn)(struct pair *pair, void *board), void *board);

/* Memory that parent and child share, zeros at first; NULL when there is none. */
void *pair_share(size_t size);

/* Wait for the other one. */
void pair_meet(struct pair *pair);

/* Post a chain to a rank and wait for it. A failure, which has been reported then, ends the process, with status 1. */
void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count);

#endif
