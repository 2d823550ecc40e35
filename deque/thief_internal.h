/* SPDX-License-Identifier: MIT */
/* Functions that the thief protocols share; for thief*.c only. */
#ifndef UAT_THIEF_INTERNAL_H
#define UAT_THIEF_INTERNAL_H

#include "base/delay.h"
#include "deque/phase.h"
#include "deque/thief.h"

/* A filter for uat_thief_peek() that accepts every victim with an entry. */
static inline bool uat_thief_any(struct uat_thief *thief, int victim, const struct uat_peek *peek)
{
    (void)thief, (void)victim, (void)peek;
    return true;
}

/* End an attempt: withdraw the published intent, and count the result. Unless the result is UAT_STEAL_DONE, publish
 * that this worker has no work. Returns the result. */
int uat_thief_count(struct uat_thief *thief, int result);

/* uat_transport_do(), timed as a phase of the steal. */
int uat_thief_do(struct uat_thief *thief, enum uat_phase phase, int victim, const struct uat_op *ops, int count);

/* Post, for each victim, the READ that read() returns, and wait for all of these READs. This takes one round trip. */
int uat_thief_read_all(struct uat_thief *thief, const struct uat_victims *victims,
                       struct uat_op (*read)(struct uat_thief *thief, int victim, int i));

/* The stack that a slot names. Its base is 0 if the slot's words are known to be from two publications (T5). */
struct uat_stack uat_thief_stack(const struct uat_thief *thief, const struct uat_slot *slot);

/* Could this be a stack of the uni-address region? Peeked words may be from two entries (T1). */
bool uat_thief_is_sane(const struct uat_thief *thief, struct uat_stack stack);

/* The peeked slot of the next entry to claim, or NULL if the slot is not valid or its stack not sane. */
const struct uat_slot *uat_thief_offer(const struct uat_thief *thief, const struct uat_peek *peek);

/* READ all victims' rings in one round trip. Sets *best to the victim to steal from, and *peek to the copy of that
 * victim's ring. If no victim has a usable entry, sets *peek to NULL. usable() says whether a victim with an entry may
 * be chosen. Returns 0 or a negative errno. */
int uat_thief_peek(struct uat_thief *thief, const struct uat_victims *victims,
                   bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek), int *best,
                   struct uat_peek **peek);

/* The READ of the victim's slot for `index`, to landing->slot. */
struct uat_op uat_thief_read_slot(struct uat_thief *thief, int victim, uint64_t index);

/* The READ of the stack that a slot names, to the stack's original addresses. These addresses are free, because the
 * thief's region is empty (with iso-address: because of T5). */
struct uat_op uat_thief_read_stack(const struct uat_thief *thief, const struct uat_slot *slot);

/* Publish the victim and the index that this thief is about to claim or to ask for. Also publish that this worker has
 * work. */
void uat_thief_intend(struct uat_thief *thief, int victim, uint64_t index);

/* landing->slot was READ after the claim of `index`. Is it valid? Returns UAT_STEAL_DONE if it is valid,
 * UAT_STEAL_LOST_RACE if the owner took the entry back, or a negative errno if the word is corrupt. */
int uat_thief_judge(struct uat_thief *thief, int victim, uint64_t index);

/* Start a steal: choose stolen->victim by uat_thief_peek(), and count the round trip. Returns a negative errno or:
 * UAT_STEAL_DONE if a victim was chosen; UAT_STEAL_BUSY if all entries seen were unusable; UAT_STEAL_EMPTY if no entry
 * was seen. */
int uat_thief_choose(struct uat_thief *thief, const struct uat_victims *victims,
                     bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek),
                     struct uat_stolen *stolen, struct uat_peek **peek);

/* uat_thief_peek() at one victim. */
static inline int uat_thief_peek_at(struct uat_thief *thief, int victim,
                                    bool (*usable)(struct uat_thief *thief, int victim, const struct uat_peek *peek),
                                    struct uat_peek **peek)
{
    const struct uat_victims one = {.count = 1, .rank = {victim}};
    int best;
    return uat_thief_peek(thief, &one, usable, &best, peek);
}

/* Make the claim of `index`: post { claim; READ slot; READ stack }, and wait for the chain. `claim` is the atomic. The
 * chain READs the stack of `offer` only if the stack is small. */
int uat_thief_claim(struct uat_thief *thief, int victim, const struct uat_op *claim, uint64_t index,
                    const struct uat_slot *offer);

/* Make the copies of slot and stack valid (T4). Call this after uat_thief_claim() has claimed `index`. If the result is
 * UAT_STEAL_LOST_RACE, the caller must abort the claim. */
int uat_thief_fetch(struct uat_thief *thief, int victim, uint64_t index, const struct uat_slot *offer,
                    struct uat_stolen *stolen);

/* Ask stolen->victim by a message, and wait for the answer. Returns a negative errno or: UAT_STEAL_DONE if the victim
 * gave or granted an entry; UAT_STEAL_EMPTY if the victim refused; UAT_STEAL_LOST_RACE if another thief's request was
 * there, or if this request was withdrawn. */
int uat_thief_ask(struct uat_thief *thief, struct uat_stolen *stolen);

/* The WRITE of the acknowledgement. The caller posts this WRITE after every READ of the steal is complete (T3). */
struct uat_op uat_thief_acknowledgement(struct uat_thief *thief, int victim, uint64_t index,
                                        enum uat_ack_status status);

#endif
