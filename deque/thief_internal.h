/* SPDX-License-Identifier: MIT */
/* Functions that the thief protocols share; for thief*.c only. */
#ifndef UAT_THIEF_INTERNAL_H
#define UAT_THIEF_INTERNAL_H

#include "deque/phase.h"
#include "deque/thief.h"

/* Count the result of an attempt, and return it. */
int uat_thief_count(struct uat_thief *thief, int result);

/* uat_transport_do() as one phase of the steal. */
static inline int uat_thief_do(struct uat_thief *thief, enum uat_phase phase, int victim, const struct uat_op *ops,
                               int count)
{
    uint64_t begin = uat_phase_begin();
    int rc = uat_transport_do(thief->transport, victim, ops, count);
    uat_phase_end(phase, begin);
    return rc;
}

/* Could this be a stack of the uni-address region? Peeked words may belong to two entries (T1). */
bool uat_thief_is_sane(const struct uat_thief *thief, struct uat_stack stack);

/* The slot that peek shows for its index, if it is valid and sane; else NULL. */
const struct uat_slot *uat_thief_offer(const struct uat_thief *thief, const struct uat_peek *peek);

/* READ the victims' rings, in one round trip for all. *best is the victim to steal from. *peek is what was seen of it,
 * or NULL if no victim has anything to take. usable says whether a victim may be chosen. Returns 0 or a negative
 * errno. */
int uat_thief_peek(struct uat_thief *thief, const struct uat_victims *victims,
                   bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek), int *best,
                   struct uat_peek **peek);

/* Claim index: post { claim; READ slot; READ stack as offered }, where `claim` is the atomic, and wait for them. */
int uat_thief_claim(struct uat_thief *thief, int victim, const struct uat_op *claim, uint64_t index,
                    const struct uat_slot *offer);

/* After uat_thief_claim() has won index: make sure that slot and stack are valid (T4). UAT_STEAL_LOST_RACE: the caller
 * aborts the claim. */
int uat_thief_fetch(struct uat_thief *thief, int victim, uint64_t index, const struct uat_slot *offer,
                    struct uat_stolen *stolen);

/* The WRITE of the acknowledgement. The caller posts it after every READ of the steal is complete (T3). */
struct uat_op uat_thief_acknowledgement(struct uat_thief *thief, int victim, uint64_t index,
                                        enum uat_ack_status status);

#endif
