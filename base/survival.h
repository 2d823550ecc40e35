/* SPDX-License-Identifier: MIT */
/*
 * The words by which uatrun and its workers survive the loss of a worker (UAT_CHECKPOINT=...,survive=TIME). They lie in
 * a memory object that uatrun makes, and that the workers inherit. No reset clears them. What the workers do:
 * runtime/checkpoint/survive.h.
 */
#ifndef UAT_BASE_SURVIVAL_H
#define UAT_BASE_SURVIVAL_H

#include <stdint.h>

/* An environment variable of the workers, "DESCRIPTOR:INODE": the memory object. */
#define UAT_SURVIVAL_VARIABLE "UATRUN_SURVIVAL"

enum {
    UAT_SURVIVAL_RANKS = 1024,
    UAT_SURVIVAL_LOSSES = 1023,    /* the most that a job survives */
    UAT_SURVIVAL_MARK = 0x75617473 /* value of the SIGUSR2 by which uatrun tells a worker to look at the gate */
};

struct uat_survival {
    /* Twice the number of losses, plus 1 while a loss can be survived. uatrun swaps 2n + 1 to 2n + 3 at a loss. Rank 0
     * adds 1 when a run has begun, and swaps 2n + 1 to 2n when it is over. So a loss and the end of a run exclude each
     * other. */
    uint64_t gate;
    uint64_t raised;    /* when uatrun raised the gate for the last loss, of uat_clock_ns() */
    uint64_t committed; /* the number of the last copy that all workers have made; stored by rank 0 (Z1) */
    /* met[n]: how many meetings workers have reached since loss n; each adds 1 at each meeting (Z3) */
    uint64_t met[UAT_SURVIVAL_LOSSES + 1];
    struct {
        uint64_t worker; /* process number of the worker */
        uint64_t spare;  /* that of the spare process that waits; 0: none */
        /* A futex: 4n while the n-th spare process of this rank waits. uatrun adds 1, so that it takes the rank over.
         * Any other value ends it. */
        uint64_t takes;
    } rank[UAT_SURVIVAL_RANKS];
};

#endif
