/* SPDX-License-Identifier: MIT */
/* The parts of uat-steal. */
#ifndef UAT_PERF_STEAL_H
#define UAT_PERF_STEAL_H

#include "deque/phase.h"
#include "perf/bench.h"
#include "perf/samples.h"
#include "runtime/inspect.h"

/* Bare operations of 8 bytes, and chains of them. A chain is meaningful only over verbs: over shared memory it finds
 * its words in the cache. */
enum steal_bare {
    STEAL_READ,
    STEAL_WRITE,
    STEAL_FETCH_ADD,
    STEAL_CMP_SWAP,
    STEAL_READS,       /* a chain of READs, as long as a claim */
    STEAL_CLAIM,       /* a claim's requests in one chain, as UAT_IB_POST=chain posts them */
    STEAL_CLAIM_ALONE, /* the atomic posted alone and the READs after it, as UAT_IB_POST=alone posts them */
    STEAL_WRITE_ADD,   /* { WRITE; FETCH_ADD }, as a task's end posts them */
    STEAL_BARES
};

/* All series of one worker. trips and bytes are not durations, but their quantiles are reported in the same way. */
struct steal_series {
    union {
        struct uat_samples all[UAT_PHASES + STEAL_BARES + 6];
        struct {
            struct uat_samples phase[UAT_PHASES];
            struct uat_samples bare[STEAL_BARES];
            struct uat_samples steal; /* from the peek to the stack in place */
            struct uat_samples resume, suspend;
            struct uat_samples timer; /* two reads of the counter in a row: each duration above includes at least one */
            struct uat_samples trips, bytes;
        };
    };
    /* Totals of all measured steals: operations by kind, those that were requests to an adapter, and the doorbells rung
     * for the requests. */
    uint64_t ops[UAT_OP_KINDS], requests[UAT_OP_KINDS], doorbells;
};

enum { STEAL_SERIES = sizeof(((struct steal_series *)0)->all) / sizeof(struct uat_samples) };

void steal_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, struct steal_series *series,
                  uint64_t stack_bytes);

#endif
