/* SPDX-License-Identifier: MIT */
/* The parts of uat-steal. */
#ifndef UAT_PERF_STEAL_H
#define UAT_PERF_STEAL_H

#include "deque/phase.h"
#include "perf/bench.h"
#include "perf/samples.h"
#include "runtime/inspect.h"

/* Bare operations of 8 bytes, and chains of them. Over shared memory a chain finds its words in the cache, so that it
 * tells of verbs only. */
enum steal_bare {
    STEAL_READ,
    STEAL_WRITE,
    STEAL_FETCH_ADD,
    STEAL_CMP_SWAP,
    STEAL_READS,       /* a chain of READs, as long as a claim */
    STEAL_CLAIM,       /* a claim's requests in one chain, as UAT_IB_POST=chain posts them */
    STEAL_CLAIM_ALONE, /* its atomic posted alone and the READs behind it, as UAT_IB_POST=alone does */
    STEAL_BARES
};

/* All series of one worker. trips and bytes are no durations, but have the same quantiles. */
struct steal_series {
    struct uat_samples phase[UAT_PHASES];
    struct uat_samples steal; /* from the peek to the stack in place */
    struct uat_samples resume, suspend;
    struct uat_samples bare[STEAL_BARES];
    struct uat_samples timer; /* two looks at the counter in a row: in each of the durations above once, or more */
    struct uat_samples trips, bytes;
    /* Over all steals that were measured: operations by kind; of them, requests to an adapter; doorbells rung for
     * these. */
    uint64_t ops[UAT_OP_KINDS], requests[UAT_OP_KINDS], doorbells;
};

int steal_report(const struct uat_bench *bench, const struct uat_bench_settings *settings, struct steal_series *series,
                 uint64_t stack_bytes);

struct uat_plot;
extern const struct uat_plot steal_plot; /* what --plot draws */

#endif
