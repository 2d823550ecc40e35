/* SPDX-License-Identifier: MIT */
/*
 * Description: the thieves' protocols step by step, on a transport of the test's own that lets the victim's owner act
 * between two chains: the operations that a steal posts, second looks, and that nothing is claimed, locked or
 * acknowledged by mistake.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/word.h"
#include "deque/thief.h"
#include "tests/unit/one_process.h"

enum { STACK_WORDS = 4096, THEIR_COLOUR = 3, LARGE = UAT_SPECULATION_LIMIT + 64 };

/* The thief's segment and its victim's; an address in `mine` names the same place in `theirs`. */
struct segment {
    struct uat_ring ring;
    struct uat_landing landing;
    struct uat_notice notice;
    _Alignas(64) uint64_t stack[STACK_WORDS];
};
static struct segment mine, theirs;
static struct uat_thief thief;
static struct uat_stolen stolen;

static struct {
    struct uat_transport head;
    struct uat_pending *pending; /* the chain in flight */
    int chains;                  /* chains posted */
    void (*before[8])(void);     /* what the victim does just before each chain */
    unsigned ops[8][UAT_OP_KINDS];
    uint64_t stack_bytes;
    uint32_t peek_bytes; /* bytes of the first chain's READ */
} wire;

static uint64_t *there(void *here)
{
    return (uint64_t *)((char *)&theirs + ((char *)here - (char *)&mine));
}

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    (void)t;
    assert_int_equal(peer, 1);
    assert_null(wire.pending); /* T3: nothing is posted while a READ of the steal is in flight */
    assert_true(wire.chains < 8);
    if (wire.before[wire.chains])
        wire.before[wire.chains]();
    for (int i = 0; i < count; i++) {
        execute_at(&ops[i], there(ops[i].remote));
        wire.ops[wire.chains][ops[i].code]++;
        if (!wire.chains)
            wire.peek_bytes = ops[i].size;
        if (ops[i].code == UAT_OP_READ && (char *)ops[i].local >= (char *)mine.stack)
            wire.stack_bytes += ops[i].size;
    }
    wire.chains++;
    wire.pending = p;
    return 0;
}

static int progress(struct uat_transport *t)
{
    (void)t;
    if (wire.pending)
        wire.pending->done = true;
    wire.pending = NULL;
    return 0;
}

static const struct uat_transport_class class = {.name = "wire", .post = post, .progress = progress};

/* The victim offers the last `bytes` bytes of its stacks at index `index`. Every word of the stack is `value`. */
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
    memset(&wire, 0, sizeof(wire));
    uat_ring_init(&theirs.ring);
    wire.head = (struct uat_transport){.class_ = &class, .size = 2};
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
    wire.chains = 0;
    wire.stack_bytes = 0;
    memset(wire.ops, 0, sizeof(wire.ops));
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

static void test_two_round_trips(void **state)
{
    (void)state;
    offer(0, 1, 256, 7);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE);
    assert_stolen(0, 256, 7);
    assert_int_equal(stolen.trips, 2);
    assert_int_equal(wire.chains, 3); /* no wait for the acknowledgement */
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_EMPTY);
    assert_int_equal(wire.chains, 1);
}

static void test_three_round_trips(void **state)
{
    (void)state;
    offer(0, 1, 256, 7);
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_DONE);
    assert_stolen(0, 256, 7);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(wire.chains, 4);
}

/* One short READ fetches claims, slots and lock. */
static void test_peek_is_short(void **state)
{
    (void)state;
    steal(uat_claim_steal);
    assert_in_range(wire.peek_bytes, 192, 320);
    assert_int_equal(wire.ops[0][UAT_OP_READ], 1);
    steal(uat_lock_steal);
    assert_in_range(wire.peek_bytes, 192, 320);
    assert_int_equal(wire.ops[0][UAT_OP_READ], 1);
}

/* 32 bits of an address are enough, wherever a region of 2 GiB lies. */
static void test_places(void **state)
{
    (void)state;
    const uintptr_t size = UINT64_C(2) << 30, lows[] = {UINT64_C(0x200000), UINT64_C(0x7ea000000000),
                                                        UINT64_C(0x7ea0c0000000), UINT64_C(0x7ea0ffe00000)};
    for (unsigned i = 0; i < 4; i++) {
        const uintptr_t sps[] = {lows[i], lows[i] + 8, lows[i] + size / 2, lows[i] + size - 8};
        for (unsigned k = 0; k < 4; k++) {
            struct uat_stack stack = uat_place_stack(uat_place(sps[k], lows[i] + size), lows[i]);
            assert_true(stack.sp == sps[k] && stack.base == lows[i] + size);
        }
    }
}

/* Near the point where 31 bits of index overflow. */
static void test_indices_past_31_bits(void **state)
{
    (void)state;
    for (uint64_t index = (UINT64_C(1) << 31) - 2; index < (UINT64_C(1) << 31) + 2; index++) {
        theirs.ring.claims = index;
        offer(index, 1, 64, index);
        assert_int_equal(steal(index % 2 ? uat_claim_steal : uat_lock_steal), UAT_STEAL_DONE);
        assert_stolen(index, 64, index);
    }
}

static void test_large_stacks_are_read_once_they_are_ours(void **state)
{
    (void)state;
    offer(0, 1, LARGE, 9);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE);
    assert_stolen(0, LARGE, 9);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(wire.stack_bytes, LARGE);
    assert_int_equal(wire.ops[1][UAT_OP_READ], 1); /* only the slot is READ after the claim */
}

static void move_entry(void)
{
    offer(0, 2, 512, 8);
}
static void renew_entry(void)
{
    offer(0, 2, 256, 8);
}

/* T4: the entry was taken back and republished between peek and claim, elsewhere or in its old place. */
static void test_second_look(void **state)
{
    (void)state;
    uat_steal_fn *how[] = {uat_claim_steal, uat_lock_steal};
    for (int i = 0; i < 4; i++) {
        teardown(NULL);
        setup(NULL);
        offer(0, 1, 256, 7);
        wire.before[i % 2 ? 2 : 1] = i / 2 ? renew_entry : move_entry;
        assert_int_equal(steal(how[i % 2]), UAT_STEAL_DONE);
        assert_true(stolen.second_look);
        assert_stolen(0, i / 2 ? 256 : 512, 8);
        if (i < 3)
            teardown(NULL);
    }
}

static void take_back(void)
{
    theirs.ring.slot[uat_slot_of(theirs.ring.claims)].state &= ~UINT64_C(1);
}

/* C2: after a claim that aborted, the next claim waits until two peeks have shown the same ring. */
static void test_changing_ring_is_left_alone(void **state)
{
    (void)state;
    offer(0, 1, 64, 7);
    wire.before[1] = take_back;
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.ack[0], uat_ack(0, UAT_ACK_ABORTED));
    assert_int_equal(theirs.ring.claims, 1);
    for (uint32_t generation = 2; generation < 6; generation++) { /* the owner is in a flat loop */
        offer(1, generation, 64, 7);
        assert_int_equal(steal(uat_claim_steal), UAT_STEAL_LOST_RACE);
        assert_int_equal(wire.chains, 1); /* the peek alone */
    }
    assert_int_equal(theirs.ring.claims, 1);
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_DONE); /* the ring has not changed */
    assert_stolen(1, 64, 7);
    offer(2, 7, 64, 7); /* a steal that succeeded ends the caution */
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

static void claimed_by_nobody(void)
{
    theirs.ring.claims++;
}

static jmp_buf refused;

static void leave(void)
{
    longjmp(refused, 1);
}

/* A peek shows a published entry that is no stack. */
static void test_corrupt_place(void **state)
{
    (void)state;
    offer(0, 1, 256, 7);
    at_no_stack();
    uat_word_set_end(leave);
    if (!setjmp(refused)) {
        steal(uat_claim_steal);
        fail();
    }
    uat_word_set_end(NULL);
}

/* Words that no owner and no thief writes end the steal: a slot whose index is not the one claimed, a place that is no
 * stack, and claims that grow under the lock. */
static void test_corrupt_words(void **state)
{
    (void)state;
    offer(0, 1, 256, 7);
    wire.before[1] = of_another_index;
    assert_int_equal(steal(uat_claim_steal), -EPROTO);
    theirs.ring.claims = 0;
    offer(0, 1, 256, 7);
    wire.before[1] = at_no_stack;
    assert_int_equal(steal(uat_claim_steal), -EPROTO);
    theirs.ring.claims = 0;
    offer(0, 1, 256, 7);
    wire.before[2] = claimed_by_nobody;
    assert_int_equal(steal(uat_lock_steal), -EPROTO);
    assert_int_equal(theirs.ring.ack[0] >> 1, (uint64_t)-UAT_RING_SLOTS << 1 >> 1); /* nothing is acknowledged */
}

static void test_losers_change_nothing(void **state)
{
    (void)state;
    offer(0, 1, 64, 7);
    wire.before[1] = rival_locks;
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.lock, 1); /* the 1 is the rival's (L2) */
    assert_int_equal(theirs.ring.claims, 0);
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(wire.chains, 1); /* the ring is locked, so no attempt is made */
    theirs.ring.lock = 0;
    wire.before[1] = rival_claims;
    assert_int_equal(steal(uat_claim_steal), UAT_STEAL_LOST_RACE);
    assert_int_equal(theirs.ring.claims, 1);
    assert_int_equal(wire.chains, 2); /* the rival acknowledges */
    wire.before[1] = rival_claims;    /* between peek and lock: nothing is left */
    theirs.ring.claims = 0;
    assert_int_equal(steal(uat_lock_steal), UAT_STEAL_EMPTY);
    assert_int_equal(theirs.ring.lock, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_two_round_trips),       TEST(test_three_round_trips),
        TEST(test_peek_is_short),         TEST(test_places),
        TEST(test_indices_past_31_bits),  TEST(test_large_stacks_are_read_once_they_are_ours),
        TEST(test_second_look),           TEST(test_changing_ring_is_left_alone),
        TEST(test_corrupt_words),         TEST(test_corrupt_place),
        TEST(test_losers_change_nothing),
    };
    return cmocka_run_group_tests_name("thief", tests, NULL, NULL);
}
