/* SPDX-License-Identifier: MIT */
#include "deque/owner.h"

#include <assert.h>

#include "base/delay.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "base/word.h"
#include "deque/phase.h"

enum { CAP_MIN = 2, WAITING_EVERY = 1024 /* loads of ack[] between two calls of user.waiting */ };

/* *look never has this value: claims counts up from 0. */
#define NEVER UINT64_MAX

const uint64_t uat_deque_watch_word = NEVER - 1; /* this is neither NEVER nor a possible value of claims */

static enum uat_tag tag_of(const struct uat_deque *d, size_t i)
{
    return (enum uat_tag)(d->entries[i] & UAT_TAG_MASK);
}

static void set_tag(struct uat_deque *d, size_t i, enum uat_tag tag)
{
    d->entries[i] = (d->entries[i] & ~(uintptr_t)UAT_TAG_MASK) | tag;
}

/* Relaxed: the value of claims alone never makes an entry the owner's again. If the acknowledgement of a claim has not
 * arrived, the owner only withholds the slot (D5). The fence in withdraw_steps() orders this load. Pairs with the
 * atomic on claims in uat_thief_claim(), or with the WRITE of claims in claim(), papers/thief_paper.c. */
static uint64_t load_claims(const struct uat_deque *d)
{
    return __atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED);
}

/* Acquire: orders the acknowledgement before the owner's next stores to the entry's stack (D6). Pairs with the WRITE of
 * uat_thief_acknowledgement(): the thief posts it after its READ of the stack has completed. The stores depend on the
 * load's value, so the processor keeps the order. The acquire keeps the compiler from moving the stores. */
static uint64_t load_ack(const struct uat_deque *d, uint64_t index)
{
    return uat_cpu_load_acquire(&d->ring->ack[uat_slot_of(index)]);
}

/* The claim on published entry i was acknowledged. Record the outcome in the entry's tag. */
static void settle(struct uat_deque *d, size_t i, enum uat_ack_status status)
{
    d->published--;
    if (status == UAT_ACK_STOLEN) {
        set_tag(d, i, UAT_TAG_GONE);
        d->cap = UAT_RING_SLOTS; /* thieves are active: publish as many entries as fit */
        return;
    }
    set_tag(d, i, UAT_TAG_ABORTED);
    if (d->aborted++ == 0 || i < d->oldest_aborted)
        d->oldest_aborted = i;
    d->count.entries_aborted++;
}

/* Is there a claimed entry that is not settled? Thieves claim the oldest entry first, and `first` is the oldest
 * published entry. */
static bool has_claimed(const struct uat_deque *d, uint64_t claims)
{
    return d->first < d->last && (int64_t)(claims - d->index[d->first]) > 0;
}

/* End the job if claims has decreased, or if it is greater than the highest index published + 1. A thief adds 1 to
 * claims only after it has seen the next entry published. */
static void check_claims(struct uat_deque *d, uint64_t claims)
{
    if (__builtin_expect(claims - d->seen > d->newest - d->seen, 0))
        uat_word_refuse(d->user.rank, "the number of claims in the deque", claims);
    d->seen = claims;
}

/* Check that the word holds the acknowledgement of `index`. Before this acknowledgement arrives, the word holds the
 * acknowledgement of the slot's previous index (D5). */
static void check_ack(const struct uat_deque *d, uint64_t ack, uint64_t index)
{
    if (__builtin_expect(!uat_ack_for(ack, index) && !uat_ack_for(ack, index - UAT_RING_SLOTS), 0))
        uat_word_refuse(d->user.rank, "an acknowledgement in the deque", ack);
}

/* Check the acknowledgement in a slot that is not free for `index`. There are two valid cases. First: the slot's last
 * index is not acknowledged yet, so the word holds an older acknowledgement. Second: `index` itself was published and
 * taken back earlier. Since the owner read claims, a thief has claimed and acknowledged it. */
static void check_older(const struct uat_deque *d, uint64_t ack, uint64_t index)
{
    uint64_t distance = (index - (ack >> 1)) << 1 >> 1; /* an acknowledgement has 63 bits of the index */
    if (__builtin_expect(distance % UAT_RING_SLOTS != 0 || distance > index + UAT_RING_SLOTS, 0))
        uat_word_refuse(d->user.rank, "an acknowledgement in the deque", ack);
}

/* Settle every published entry whose claim has been acknowledged. Thieves acknowledge in any order. */
static void collect(struct uat_deque *d, uint64_t claims)
{
    if (!has_claimed(d, claims))
        return;
    for (size_t i = d->first; i < d->last; i++) {
        if (tag_of(d, i) != UAT_TAG_PUBLISHED || (int64_t)(claims - d->index[i]) <= 0)
            continue;
        uint64_t ack = load_ack(d, d->index[i]);
        check_ack(d, ack, d->index[i]);
        if (uat_ack_for(ack, d->index[i]))
            settle(d, i, uat_ack_get_status(ack));
    }
    while (d->first < d->last && tag_of(d, d->first) != UAT_TAG_PUBLISHED)
        d->first++;
}

/* Does the stress mode or the simulation need a hook at each step? */
static bool is_hooked(void)
{
    return UAT_IS_VIRTUAL() || __builtin_expect(uat_delay_on, 0);
}

static inline __attribute__((always_inline)) bool publish_steps(struct uat_deque *d, size_t i, bool hooked)
{
    const bool simulated = hooked && UAT_IS_VIRTUAL();
    if (d->user.unreleased && *d->user.unreleased && !d->user.before_publication())
        return false;
    uint64_t claims = load_claims(d);
    if (hooked) /* the index chosen below may be claimed before it is published; the thief then finds an invalid slot */
        uat_delay();
    if ((int64_t)(d->bottom - claims) >= UAT_RING_SLOTS)
        return false;
    uint64_t index = (int64_t)(claims - d->bottom) > 0 ? claims : d->bottom; /* D2 */
    uint64_t ack = load_ack(d, index);
    if (!uat_ack_for(ack, index - UAT_RING_SLOTS)) { /* D5 */
        check_older(d, ack, index);
        d->count.withheld++;
        return false;
    }
    collect(d, claims); /* D5: records that acknowledgement if its entry is still in the deque */
    uintptr_t sp = d->entries[i] & ~(uintptr_t)UAT_TAG_MASK, base = uat_deque_entry_base(d, i);
    if (tag_of(d, i) == UAT_TAG_ABORTED)
        d->aborted--; /* has its record already */
    else if (!d->user.part(d->user.context, sp)) {
        d->count.records_missing++;
        return false;
    }
    if (hooked)
        uat_delay();
    struct uat_slot *slot = &d->ring->slot[uat_slot_of(index)];
    /* Relaxed: the release store below orders this store. Atomic, so that the word is written whole. */
    uint64_t place = d->placing ? d->placing->pack(sp, d->generation + 1) : uat_place(sp, base);
    uat_store_relaxed(simulated, &slot->place, place);
    if (hooked)
        uat_delay();
    /* Release: orders the slot's content, the join record and the entry's stack before the state that offers them.
     * Pairs with the READ of the slot after the claim: see uat_thief_fetch(). */
    uat_store_release(simulated, &slot->state, uat_state(index, ++d->generation, true));
    if (hooked)
        uat_delay();
    if (d->published == 0)
        d->first = i;
    set_tag(d, i, UAT_TAG_PUBLISHED);
    d->index[i] = index;
    d->bottom = index + 1;
    d->newest = (int64_t)(d->bottom - d->newest) > 0 ? d->bottom : d->newest;
    d->published++;
    d->count.published++;
    return true;
}

static __attribute__((noinline, cold)) bool publish_hooked(struct uat_deque *d, size_t i)
{
    return publish_steps(d, i, true);
}

/* Publish entry i in the ring. Returns false if the ring is full, an acknowledgement is missing, no record is free, or
 * before_publication() refuses. */
static bool publish(struct uat_deque *d, size_t i)
{
    return is_hooked() ? publish_hooked(d, i) : publish_steps(d, i, false);
}

/* Set the values of *look at which push and pop may skip the slow path. */
static void set_triggers(struct uat_deque *d, uint64_t claims, bool blocked)
{
    d->pop_claims = claims;
    /* Take the slow path at every push while fewer entries are published than cap allows. Exception: if only records
     * are missing, wait for a claim, because only a claim frees a record. Also take the slow path at every push while
     * an acknowledgement is in flight. The acknowledgement will free a slot. If its claim was the last one, no later
     * change of claims would make the owner look. */
    bool wanting = (d->published < d->cap && !(blocked && d->published > 0)) || has_claimed(d, claims);
    d->push_claims = wanting ? NEVER : claims;
}

void uat_deque_fill(struct uat_deque *d)
{
    uint64_t claims = load_claims(d);
    check_claims(d, claims);
    collect(d, claims);
    if (d->published == 0 && d->aborted > 0) /* republish an aborted entry as soon as no entry is published */
        d->first = d->last = d->oldest_aborted;
    size_t n = uat_deque_size(d);
    uint64_t missing = d->count.records_missing;
    while (d->last < n && d->published < d->cap) {
        if (tag_of(d, d->last) != UAT_TAG_GONE && !publish(d, d->last))
            break;
        d->last++;
    }
    set_triggers(d, claims, d->count.records_missing != missing);
}

__attribute__((noinline, cold)) void uat_deque_refill(struct uat_deque *d)
{
    if (d->giver)
        d->giver->pushed(d);
    else
        uat_deque_fill(d);
}

static inline __attribute__((always_inline)) bool withdraw_steps(struct uat_deque *d, uint64_t index, bool hooked)
{
    const bool simulated = hooked && UAT_IS_VIRTUAL();
    struct uat_slot *slot = &d->ring->slot[uat_slot_of(index)];
    if (hooked)
        uat_delay();
    uat_store_relaxed(simulated, &slot->state, uat_state(index, d->generation, false));
    /* Full fence: orders the slot's invalidation before the load of claims. Pairs with uat_thief_fetch(), whose chain
     * orders the atomic on claims before the READ of the slot. Also pairs with claim(), papers/thief_paper.c: its
     * WRITE of claims is complete before it READs the slot. So either the thief sees the invalid slot, or the owner
     * sees the claim. */
    uat_fence(simulated);
    if (hooked)
        uat_delay();
    return (int64_t)(load_claims(d) - index) <= 0;
}

static __attribute__((noinline, cold)) bool withdraw_hooked(struct uat_deque *d, uint64_t index)
{
    return withdraw_steps(d, index, true);
}

/* Take the entry with this index out of the ring. True: the entry is the owner's again. False: a thief has claimed it
 * (D4). */
static bool withdraw(struct uat_deque *d, uint64_t index)
{
    return is_hooked() ? withdraw_hooked(d, index) : withdraw_steps(d, index, false);
}

/* Wait for the acknowledgement of the thief that claimed index. */
static enum uat_ack_status await_ack(struct uat_deque *d, uint64_t index)
{
    struct uat_relax relax = {0};
    uint64_t ack = load_ack(d, index);
    if (uat_ack_for(ack, index))
        return uat_ack_get_status(ack);
    uint64_t begin = uat_phase_begin();
    d->count.owner_waits++;
    while (!uat_ack_for(ack, index)) {
        uat_relax(&relax);
        if (relax.spins % WAITING_EVERY == 0 && d->user.waiting)
            d->user.waiting(d->user.context, index);
        ack = load_ack(d, index);
        check_ack(d, ack, index);
    }
    if (d->user.waited)
        d->user.waited(d->user.context);
    uat_phase_end(UAT_PHASE_AWAIT, begin);
    return uat_ack_get_status(ack);
}

static enum uat_pop pop_published(struct uat_deque *d, size_t i)
{
    uint64_t index = d->index[i];
    d->bottom = index;
    if (withdraw(d, index)) {
        d->published--;
        d->cap = d->cap / 2 > CAP_MIN ? d->cap / 2 : CAP_MIN; /* no thief took the entry: publish fewer */
        d->count.taken_back++;
        return UAT_POP_PARTED;
    }
    settle(d, i, await_ack(d, index));
    if (tag_of(d, i) == UAT_TAG_GONE)
        return UAT_POP_GONE;
    d->aborted--;
    return UAT_POP_PARTED;
}

static enum uat_pop pop_youngest(struct uat_deque *d, size_t i)
{
    switch (tag_of(d, i)) {
    case UAT_TAG_PUBLISHED:
        return pop_published(d, i);
    case UAT_TAG_ABORTED:
        d->aborted--;
        return UAT_POP_PARTED;
    case UAT_TAG_GONE:
        return UAT_POP_GONE;
    default:
        return UAT_POP_PRIVATE;
    }
}

__attribute__((noinline, cold)) enum uat_pop uat_deque_pop(struct uat_deque *d, uintptr_t *sp)
{
    size_t i = uat_deque_size(d);
    assert(i > 0);
    i--;
    *sp = d->entries[i] & ~(uintptr_t)UAT_TAG_MASK;
    enum uat_pop result = pop_youngest(d, i);
    d->top--;
    if (d->last > i)
        d->last = i;
    if (d->first > i)
        d->first = i;
    if (d->giver) {
        d->giver->popped(d, result == UAT_POP_GONE);
        return result;
    }
    uint64_t claims = load_claims(d);
    check_claims(d, claims);
    if (claims != d->pop_claims || d->last < i || d->aborted > 0 || has_claimed(d, claims))
        uat_deque_refill(d);
    else /* no new claim and nothing to publish */
        set_triggers(d, claims, false);
    return result;
}

bool uat_deque_is_drained(const struct uat_deque *d)
{
    /* Relaxed: the value is a hint. Pairs with the thieves' atomics on claims in uat_thief_claim(), and with the WRITE
     * of claims in claim(), papers/thief_paper.c. */
    uint64_t claims = __atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED);
    if (d->aborted > 0 || (d->published > 0 && (int64_t)(claims - d->bottom) < 0))
        return false;
    for (size_t i = d->last; i < uat_deque_size(d); i++)
        if (tag_of(d, i) != UAT_TAG_GONE)
            return false;
    return true;
}

/* For a deque that is not drained: is every published entry claimed? Under the message protocol: is a request pending?
 * Both loads are relaxed, because their values are hints. The load of claims pairs as in uat_deque_is_drained(). The
 * load of the look word pairs with the CMP_SWAP in ask_once(), thief_message.c. */
static bool must_offer(const struct uat_deque *d)
{
    if (d->giver && __atomic_load_n(d->look, __ATOMIC_RELAXED) != d->pop_claims)
        return true;
    if (uat_deque_is_secret(d))
        return false;
    return d->published == 0 || (int64_t)(__atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED) - d->bottom) >= 0;
}

bool uat_deque_offer(struct uat_deque *d)
{
    if (uat_deque_is_drained(d))
        return false;
    if (!must_offer(d))
        return true;
    uat_deque_refill(d);
    return !uat_deque_is_drained(d);
}

uintptr_t uat_deque_next_private(const struct uat_deque *d)
{
    /* The exposed continuation is the youngest entry. */
    size_t n = uat_deque_size(d);
    return n > 0 && tag_of(d, n - 1) == UAT_TAG_PRIVATE ? d->entries[n - 1] : 0;
}

void uat_deque_watch(struct uat_deque *d, bool watch)
{
    const uint64_t *shared = d->giver ? d->giver->look : &d->ring->claims;
    d->look = watch ? &uat_deque_watch_word : shared;
}

void uat_deque_look_always(struct uat_deque *d)
{
    d->push_claims = d->pop_claims = NEVER;
}

void uat_deque_start(struct uat_deque *d)
{
    uat_deque_watch(d, false);
    uat_deque_look_always(d);
    d->cap = d->user.keep_private ? 0 : UAT_RING_SLOTS;
}

void uat_deque_stop(struct uat_deque *d)
{
    d->look = &uat_deque_watch_word;
}
