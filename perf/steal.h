/* SPDX-License-Identifier: MIT */
/* The parts of uat-steal. */
#ifndef UAT_PERF_STEAL_H
#define UAT_PERF_STEAL_H

#include "deque/phase.h"
#include "perf/bench.h"
#include "perf/samples.h"
#include "inspect/inspect.h"

/* Bare operations of 8 bytes, and chains of them. Chains are meaningful only over verbs: over shared memory the chain's
 * words are already in the cache. */
enum steal_bare {
    STEAL_READ,
    STEAL_WRITE,
    STEAL_FETCH_ADD,
    STEAL_CMP_SWAP,
    STEAL_READS,       /* a chain of CHAIN READs: as many requests as a claim has */
    STEAL_CLAIM,       /* a claim's requests in one chain, as UAT_CONNECT=post=chain posts them */
    STEAL_CLAIM_ALONE, /* a claim's atomic posted alone, then its READs, as UAT_CONNECT=post=alone posts them */
    STEAL_WRITE_ADD,   /* { WRITE; FETCH_ADD }, as a task's end posts them */
    STEAL_BARES
};

/* All series of one worker. `trips` and `bytes` are not durations, but the report computes their quantiles in the same
 * way. */
struct steal_series {
    union {
        struct uat_samples all[UAT_PHASES + STEAL_BARES + 6];
        struct {
            struct uat_samples phase[UAT_PHASES];
            struct uat_samples bare[STEAL_BARES];
            struct uat_samples steal; /* from the peek until the stack is in place */
            struct uat_samples resume, suspend;
            struct uat_samples timer; /* two consecutive reads of the counter; every duration above includes this
                                       * time */
            struct uat_samples trips, bytes;
        };
    };
    /* Totals of all measured steals: operations by kind, requests to an adapter by kind, and the doorbells rung for
     * these requests. */
    uint64_t ops[UAT_OP_KINDS], requests[UAT_OP_KINDS], doorbells;
};

enum { STEAL_SERIES = sizeof(((struct steal_series *)0)->all) / sizeof(struct uat_samples) };

void steal_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, struct steal_series *series,
                  uint64_t stack_bytes);

#endif
