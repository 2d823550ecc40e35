/* SPDX-License-Identifier: MIT */
/*
 * One owner against several thief processes on one deque, over any transport. The owner pushes and pops entries, and
 * fills each entry's stack with the entry's number. Thieves steal. Each entry must be taken exactly once, with its own
 * stack.
 */
#ifndef UAT_TEST_DEQUE_STRESS_H
#define UAT_TEST_DEQUE_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/owner.h"
#include "deque/thief.h"
#include "tests/unit/peers.h"

struct deque_stress {
    uat_steal_fn *steal;
    uint32_t pushes; /* entries in total */
    unsigned depth;  /* maximum depth of nested tasks; 1: a flat loop */
    bool delays;     /* owner and thieves add delays; the transport's delays are in struct peers_spec */
    uint64_t seed;
    uint64_t start; /* index of the first publication */
    bool blind;     /* thieves claim without a peek */
};

struct deque_stress_counts {
    uint64_t taken_by_owner, taken_by_thieves;
    struct uat_deque_counts owner;
    struct uat_mail_counts mail;
    struct uat_thief_counts thieves;
};

/* Rank 0 is the owner; the others are thieves. Returns 0, or 1 if an entry was not taken exactly once. If peers_run()
 * fails, returns its result. Sets *counts to the totals over all workers. */
int deque_stress_run(const struct peers_spec *spec, const struct deque_stress *stress,
                     struct deque_stress_counts *counts);

#endif
