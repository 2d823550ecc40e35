/* SPDX-License-Identifier: MIT */
/*
 * Description: the thieves' protocols step by step. The test's own transport lets the victim's owner act between two
 * chains. The test checks the operations that a steal posts. It checks that a thief looks again at an entry that has
 * changed. Nothing may be claimed, locked or acknowledged by mistake.
 */
#include <errno.h>

#include "deque/thief.h"
#include "papers/placing.h"
#include "papers/thief_paper.h"
#include "tests/test.h"
#include "tests/unit/refusal.h"
#include "tests/unit/wire.h"

enum { STACK_WORDS = 4096, THEIR_COLOUR = 3, LARGE = UAT_SPECULATION_LIMIT + 64, BERTH = 16384 };

/* The segments of the thief and its victim. An address in `mine` stands for the same place in `theirs`. */
struct segment {
    struct uat_ring ring;
    struct uat_landing landing;
    struct uat_notice notice;
    _Alignas(BERTH) uint64_t stack[STACK_WORDS];
};
static struct segment mine, theirs;
static struct uat_thief thief;
static struct uat_stolen stolen;

static struct wire wire;
static uint64_t stack_bytes, peek_bytes; /* bytes of stacks that were READ, and of the first chain's READ */

static void note_op(const struct uat_op *op)
{
    if (!wire.chains)
        peek_bytes = op->size;
    if (op->code == UAT_OP_READ && (char *)op->local >= (char *)mine.stack)
        stack_bytes += op->size;
}

/* T3: nothing may be posted while a READ of the steal is in flight. */
static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    assert_null(wire.pending);
    return wire_post(t, peer, ops, count, p);
}

static const struct uat_transport_class class = {.name = "wire", .post = post, .progress = wire_progress};

static uint64_t *there(void *here)
{
    return wire_there(&wire, here);
}

/* The victim offers the last `bytes` bytes of its stacks at index `index`. Every word of the stack equals `value`. */
static void offer(uint64_t index, uint32_t generation, size_t bytes, uint64_t value)
{
    uint64_t *end = mine.stack + STACK_WORDS, *begin = end - bytes / 8;
    theirs.ring.slot[uat_slot_of(index)] =
        (struct uat_slot){uat_state(index, generation, true), uat_place((uintptr_t)begin, (uintptr_t)end)};
    for (uint64_t *p = there(begin); p < there(end); p++)
        *p = value;
}

static int setup(void **state)
{
    (void)state;
    memset(&mine, 0, sizeof(mine));
    memset(&theirs, 0, sizeof(theirs));
    uat_ring_init(&theirs.ring);
    wire = (struct wire){.head = {.class_ = &class, .size = 2},
                         .from = (char *)&mine,
                         .to = (char *)&theirs,
                         .peer = 1,
                         .on_op = note_op};
    static const uint8_t colours[2] = {0, THEIR_COLOUR};
    if (uat_thief_open(&thief, &wire.head, uat_coloured(&mine.ring, -THEIR_COLOUR), &mine.landing, &mine.notice))
        return -1;
    thief.colours = colours;
    thief.low = (uintptr_t)mine.stack;
    thief.high = (uintptr_t)(mine.stack + STACK_WORDS);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    uat_thief_close(&thief);
    return 0;
}

static int steal(uat_steal_fn *how)
{
    wire_clear(&wire);
    stack_bytes = 0;
    int result = how(&thief, &(struct uat_victims){.count = 1, .rank = {1}}, &stolen);
    memset(wire.before, 0, sizeof(wire.before));
    return result;
}

static void assert_stolen(uint64_t index, size_t bytes, uint64_t value)
{
    assert_int_equal(stolen.base - stolen.sp, bytes);
    for (const uint64_t *p = (const uint64_t *)stolen.sp; p < (const uint64_t *)stolen.base; p++)
        assert_int_equal(*p, value);
    assert_int_equal(theirs.ring.ack[uat_slot_of(index)], uat_ack(index, UAT_ACK_STOLEN));
    assert_int_equal(theirs.ring.claims, index + 1);
    assert_int_equal(theirs.ring.lock, 0);
}

TEST_WITH(two_round_trips, setup, teardown)
{
    offer(0, 1, 256, 7);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE);
    assert_stolen(0, 256, 7);
    assert_int_equal(stolen.trips, 2);
    assert_int_equal(wire.chains, 3); /* the thief does not wait for the acknowledgement */
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_EMPTY);
    assert_int_equal(wire.chains, 1);
}

TEST_WITH(three_round_trips, setup, teardown)
{
    offer(0, 1, 256, 7);
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_DONE);
    assert_stolen(0, 256, 7);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(wire.chains, 4);
}

/* The papers' seven operations, one per chain. */
TEST_WITH(seven_operations, setup, teardown)
{
    static const enum uat_opcode order[] = {UAT_OP_READ, UAT_OP_FETCH_ADD, UAT_OP_READ, UAT_OP_WRITE,
                                            UAT_OP_READ, UAT_OP_READ,      UAT_OP_WRITE};
    for (uint64_t index = 0; index < 3; index++) {
        unsigned first = index == 2; /* the last steal runs without the empty check */
        thief.peek = !first;
        offer(index, 1, index == 1 ? LARGE : 256, 7);
        assert_int_equal(steal(uat_paper_steal), UAT_STEAL_DONE);
        assert_int_equal(stolen.trips, 7 - first);
        assert_int_equal(wire.chains, 7 - first);
        for (unsigned i = first; i < 7; i++)
            assert_int_equal(wire.ops[i - first][order[i]], 1);
        assert_int_equal(theirs.ring.lock, index + 1); /* P1 */
        theirs.ring.lock = 0;
        assert_stolen(index, index == 1 ? LARGE : 256, 7);
        theirs.ring.lock = index + 1;
    }
    assert_int_equal(steal(uat_paper_steal), UAT_STEAL_EMPTY);
    assert_int_equal(theirs.ring.lock, 3);
    thief.peek = true;
    assert_int_equal(steal(uat_paper_steal), UAT_STEAL_EMPTY);
    assert_int_equal(wire.chains, 1);
}

/* One short READ fetches claims, slots and lock. */
TEST_WITH(peek_is_short, setup, teardown)
{
    uat_steal_fn *how[] = {uat_claim_steal, uat_lock_steal};
    for (int i = 0; i < 2; i++) {
        steal(how[i]);
        assert_in_range(peek_bytes, 192, 320);
        assert_int_equal(wire.ops[0][UAT_OP_READ], 1);
    }
}

/* Near the index that overflows 31 bits. */
TEST_WITH(indices_past_31_bits, setup, teardown)
{
    for (uint64_t index = (UINT64_C(1) << 31) - 2; index < (UINT64_C(1) << 31) + 2; index++) {
        theirs.ring.claims = index;
        offer(index, 1, 64, index);
        assert_int_equal(steal(index % 2 ? uat_claim_steal : uat_lock_steal), UAT_STEAL_DONE);
        assert_stolen(index, 64, index);
    }
}

TEST_WITH(large_stacks_are_read_once_they_are_ours, setup, teardown)
{
    offer(0, 1, LARGE, 9);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE);
    assert_stolen(0, LARGE, 9);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(stack_bytes, LARGE);
    assert_int_equal(wire.ops[1][UAT_OP_READ], 1); /* after the claim only the slot is READ */
}

static void move_entry(void)
{
    offer(0, 2, 512, 8);
}
static void renew_entry(void)
{
    offer(0, 2, 256, 8);
}

/* T4: the entry was taken back between peek and claim, and republished elsewhere or in its old place. */
TEST_WITH(second_look, setup, teardown)
{
    uat_steal_fn *how[] = {uat_claim_steal, uat_lock_steal};
    offer(0, 1, 256, 7);
    wire.before[3] = renew_entry; /* between the READ under the lock and the claim */
    assert_int_equal(steal(uat_paper_steal), UAT_STEAL_DONE);
    assert_true(stolen.second_look && stolen.trips == 8);
    for (int i = 0; i < 4; i++) {
        teardown(NULL);
        setup(NULL);
        offer(0, 1, 256, 7);
        wire.before[i % 2 ? 2 : 1] = i / 2 ? renew_entry : move_entry;
        assert_int_equal(steal(how[i % 2]), UAT_STEAL_DONE);
        assert_true(stolen.second_look);
        assert_stolen(0, i / 2 ? 256 : 512, 8);
    }
}

/* Iso-address: the victim offers the last `bytes` bytes of its first berth, with the generations of place and state. */
static void offer_in_berth(size_t bytes, uint32_t of_place, uint32_t of_state, uint64_t value)
{
    uintptr_t end = uat_berth_base((uintptr_t)mine.stack), begin = end - bytes;
    theirs.ring.slot[0] = (struct uat_slot){uat_state(0, of_state, true), uat_berth_placing.pack(begin, of_place)};
    for (uint64_t *p = there((void *)begin); p < there((void *)end); p++)
        *p = value;
}

static void renew_state(void)
{
    offer_in_berth(256, 1, 2, 7);
}
static void renew_place(void)
{
    offer_in_berth(512, 2, 2, 8);
}

/* T5: no stack is READ to a place that comes from another publication than the slot's state. */
TEST_WITH(mixed_slots_of_iso_address, setup, teardown)
{
    uat_steal_fn *how[] = {uat_claim_steal, uat_lock_steal};
    for (int i = 0; i < 2; i++) {
        uat_berth_mask = BERTH - 1;
        thief.placing = &uat_berth_placing;
        renew_state();
        assert_int_equal(steal(how[i]), UAT_STEAL_EMPTY); /* the word is not reported as corrupt */
        assert_true(stack_bytes == 0 && wire.chains == 1);
        offer_in_berth(256, 1, 1, 7);
        wire.before[i + 1] = renew_state; /* before the claim */
        wire.before[i + 2] = renew_place; /* before the second look */
        assert_int_equal(steal(how[i]), UAT_STEAL_DONE);
        assert_stolen(0, 512, 8);
        assert_true(stolen.second_look && stack_bytes == 256 + 512);
        teardown(NULL);
        setup(NULL);
    }
}

static void take_back(void)
{
    theirs.ring.slot[uat_slot_of(theirs.ring.claims)].state &= ~UINT64_C(1);
}

/* C2: after a claim that aborted, the next claim waits until two peeks have shown the same ring. */
TEST_WITH(changing_ring_is_left_alone, setup, teardown)
{
    offer(0, 1, 64, 7);
    wire.before[1] = take_back;
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.ack[0], uat_ack(0, UAT_ACK_ABORTED));
    assert_int_equal(theirs.ring.claims, 1);
    for (uint32_t generation = 2; generation < 6; generation++) { /* the owner is in a flat loop */
        offer(1, generation, 64, 7);
        assert_int_equal(steal(uat_claim_steal), UAT_STEAL_BUSY);
        assert_int_equal(wire.chains, 1); /* only the peek */
    }
    assert_int_equal(theirs.ring.claims, 1);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE); /* the ring has not changed */
    assert_stolen(1, 64, 7);
    offer(2, 7, 64, 7); /* a successful steal ends the caution */
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE);
}

static void rival_locks(void)
{
    theirs.ring.lock++;
}
static void rival_claims(void)
{
    theirs.ring.claims++;
}

static void of_another_index(void)
{
    theirs.ring.slot[0].state = uat_state(5, 1, true);
}

static void at_no_stack(void)
{
    theirs.ring.slot[0].place = 8;
}

static void steal_by_claim(void)
{
    steal(uat_claim_steal);
}

static void steal_as_papers_do(void)
{
    steal(uat_paper_steal);
}

/* A peek shows a published entry whose place is not a stack, or a lock that holds fewer 1s than there are claims
 * (P1). */
TEST_WITH(corrupt_peek, setup, teardown)
{
    offer(0, 1, 256, 7);
    at_no_stack();
    assert_refusal(steal_by_claim);
    theirs.ring.claims = 1;
    offer(1, 1, 256, 7);
    thief.peek = false;
    assert_refusal(steal_as_papers_do);
}

/* A steal fails if it reads a word that no owner and no thief writes. The words are a slot with another index than the
 * claimed one, a place that is not a stack, and claims that grow under the lock. */
TEST_WITH(corrupt_words, setup, teardown)
{
    static const struct {
        uat_steal_fn *how;
        int chain;
        void (*corrupt)(void);
    } cases[] = {
        {uat_claim_steal, 1, of_another_index}, {uat_claim_steal, 1, at_no_stack}, {uat_lock_steal, 2, rival_claims}};
    for (int i = 0; i < 3; i++) {
        theirs.ring.claims = 0;
        offer(0, 1, 256, 7);
        wire.before[cases[i].chain] = cases[i].corrupt;
        assert_int_equal(steal(cases[i].how), -EPROTO);
    }
    assert_int_equal(theirs.ring.ack[0] >> 1, (uint64_t)-UAT_RING_SLOTS << 1 >> 1); /* nothing is acknowledged */
}

static void claimed_and_not_acknowledged(void)
{
    theirs.ring.claims++;
    theirs.ring.lock++;
}

/* While another thief holds the lock, the empty check ends the attempt without adding 1 to the lock. */
TEST_WITH(paper_sees_the_lock, setup, teardown)
{
    offer(0, 1, 64, 7);
    rival_locks();
    assert_int_equal(steal(uat_paper_steal), UAT_STEAL_BUSY);
    assert_int_equal(wire.chains, 1);
    assert_int_equal(theirs.ring.lock, 1);
}

/* P1, P2: a thief that cannot hold the lock subtracts the 1 that it added, with and without the empty check. */
TEST_WITH(paper_losers, setup, teardown)
{
    for (int blind = 0; blind < 2; blind++) {
        thief.peek = !blind;
        theirs.ring.claims = theirs.ring.lock = 0;
        offer(0, 1, 64, 7);
        wire.before[!blind] = rival_locks;
        assert_int_equal(steal(uat_paper_steal), UAT_STEAL_LOST_RACE);
        assert_int_equal(theirs.ring.lock, 1);
        assert_int_equal(theirs.ring.claims, 0);
        theirs.ring.lock = 0;
        offer(1, 1, 64, 7);
        wire.before[0] = claimed_and_not_acknowledged;
        assert_int_equal(steal(uat_paper_steal), UAT_STEAL_LOST_RACE);
        assert_int_equal(theirs.ring.lock, 1);
        assert_int_equal(theirs.ring.claims, 1);
        theirs.ring.ack[0] = uat_ack(0, UAT_ACK_STOLEN);
        wire.before[3 - blind] = take_back; /* before the WRITE of claims */
        assert_int_equal(steal(uat_paper_steal), UAT_STEAL_LOST_RACE);
        assert_int_equal(theirs.ring.ack[1], uat_ack(1, UAT_ACK_ABORTED));
        assert_int_equal(theirs.ring.lock, 2);
        assert_int_equal(theirs.ring.claims, 2);
        uat_ring_init(&theirs.ring);
    }
}

TEST_WITH(losers_change_nothing, setup, teardown)
{
    offer(0, 1, 64, 7);
    wire.before[1] = rival_locks;
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.lock, 1); /* the 1 is the rival's (L2) */
    assert_int_equal(theirs.ring.claims, 0);
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_BUSY);
    assert_int_equal(wire.chains, 1); /* the ring is locked, so no attempt is made */
    theirs.ring.lock = 0;
    wire.before[1] = rival_claims;
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.claims, 1);
    assert_int_equal(wire.chains, 2); /* peek and swap; the claim is the rival's, so the rival acknowledges it */
    wire.before[1] = rival_claims;    /* between peek and lock: no entry is left */
    theirs.ring.claims = 0;
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_EMPTY);
    assert_int_equal(theirs.ring.lock, 0);
}
