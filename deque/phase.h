/* SPDX-License-Identifier: MIT */
/*
 * Times of the phases of a steal, for timelines and microbenchmarks. Nothing is timed unless a hook is set. If no hook
 * is set, a phase costs one predictable branch, on slow paths only.
 */
#ifndef UAT_PHASE_H
#define UAT_PHASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/virtual.h"

/* Under the paper protocols, LOCK is only the FETCH_ADD, CLAIM includes a READ of the ring, and STACK is every READ of
 * a stack. */
enum uat_phase {
    UAT_PHASE_PEEK,        /* READ of the victims' rings or mailboxes */
    UAT_PHASE_LOCK,        /* lock protocol: { FETCH_ADD; READ of the words that the lock protects } */
    UAT_PHASE_CLAIM,       /* { atomic on claims; READ slot; READ stack if it is small enough to be speculative } */
    UAT_PHASE_LOOK,        /* READ slot and stack again, because the first copies may be inconsistent */
    UAT_PHASE_STACK,       /* READ of a stack that is too large for a speculative READ */
    UAT_PHASE_ACKNOWLEDGE, /* the thief posts acknowledgement and unlock; it waits for their completion only under the
                            * paper protocols */
    UAT_PHASE_AWAIT,       /* the owner waits for a thief's acknowledgement */
    UAT_PHASE_ASK,      /* message protocol: { CMP_SWAP of the request }; without a peek, also a READ of the mailbox */
    UAT_PHASE_ANSWER,   /* the thief waits for the victim's answer */
    UAT_PHASE_WITHDRAW, /* { CMP_SWAP of the request; READ of its outcome } */
    UAT_PHASE_GIVE,     /* the owner posts a continuation to the thief */
    UAT_PHASES
};

/* Called at the end of each phase. begin, end: the time-stamp counter's values at the phase's start and end. */
typedef void uat_phase_fn(enum uat_phase phase, uint64_t begin, uint64_t end);

/* NULL: nothing is timed. Must not change while a task runs or a steal is in flight. */
extern uat_phase_fn *uat_phase_hook;

static inline uint64_t uat_phase_begin(void)
{
    return __builtin_expect(uat_phase_hook != NULL, 0) ? uat_counter_ordered() : 0;
}

static inline void uat_phase_end(enum uat_phase phase, uint64_t begin)
{
    if (__builtin_expect(uat_phase_hook != NULL, 0))
        uat_phase_hook(phase, begin, uat_counter_ordered());
}

#endif
