/* SPDX-License-Identifier: MIT */
/*
 * Description: the owner's side of the deque, without thieves. The owner writes the right words into the ring at the
 * right time. It handles claims and acknowledgements that the test makes in a thief's place.
 */
#include "tests/unit/deque_alone.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/refusal.h"

/* Set the counters as if all indices below `index` had been claimed before. */
static void start_at(uint64_t index)
{
    ring.claims = deque.bottom = deque.newest = deque.seen = index;
    for (uint64_t i = index; i < index + UAT_RING_SLOTS; i++)
        acknowledge(i - UAT_RING_SLOTS, UAT_ACK_STOLEN);
}

static unsigned offered(void)
{
    unsigned n = 0;
    for (uint64_t i = 0; i < 1000; i++)
        n += is_offered(i);
    return n;
}

static struct uat_stack shown(uint64_t slot)
{
    return uat_place_stack(ring.slot[slot].place, 0);
}

DEQUE_TEST(publishes_the_oldest)
{
    push(40);
    assert_int_equal(offered(), UAT_RING_SLOTS);
    for (uint64_t i = 0; i < UAT_RING_SLOTS; i++) {
        assert_true(is_offered(i));
        assert_int_equal(shown(i).base, HIGH - STEP * i);
        assert_int_equal(shown(i).sp, HIGH - STEP * (i + 1));
    }
    assert_int_equal(deque.count.published, UAT_RING_SLOTS);
}

DEQUE_TEST(offers_less_when_taken_back)
{
    for (int i = 0; i < 8; i++) { /* a flat loop */
        push(1);
        assert_int_equal(pop(), UAT_POP_PARTED);
    }
    push(20);
    assert_int_equal(offered(), 2);
}

DEQUE_TEST(aborted_entry_comes_back)
{
    push(1);
    acknowledge(claim(), UAT_ACK_ABORTED);
    push(1); /* the push sees the acknowledgement */
    assert_int_equal(deque.count.entries_aborted, 1);
    assert_true(is_offered(1)); /* the same entry, republished */
    assert_int_equal(shown(1).sp, HIGH - STEP);
    assert_int_equal(shown(2).sp, HIGH - 2 * STEP);
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(pop(), UAT_POP_PARTED);
}

DEQUE_TEST(aborted_entry_is_offered_after_younger_ones)
{
    push(3);
    acknowledge(claim(), UAT_ACK_ABORTED);
    push(1);
    assert_false(is_offered(3 + 1)); /* entry 0 is not yet offered; entries 1 and 2 still are, and entry 3 was added */
    assert_int_equal(deque.aborted, 1);
    acknowledge(claim(), UAT_ACK_STOLEN);
    acknowledge(claim(), UAT_ACK_STOLEN);
    acknowledge(claim(), UAT_ACK_STOLEN);
    push(1);
    assert_int_equal(deque.aborted, 0);
    assert_int_equal(shown(4).sp, HIGH - STEP); /* now entry 0 is offered */
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(pop(), UAT_POP_GONE);
    assert_int_equal(pop(), UAT_POP_GONE);
    assert_int_equal(pop(), UAT_POP_GONE);
    assert_int_equal(pop(), UAT_POP_PARTED);
}

DEQUE_TEST(oldest_aborted_entry_is_offered_first)
{
    push(3);
    uint64_t slow = claim();
    acknowledge(claim(), UAT_ACK_ABORTED);
    push(1); /* the push sees that entry 1 came back */
    acknowledge(slow, UAT_ACK_ABORTED);
    acknowledge(claim(), UAT_ACK_STOLEN);
    acknowledge(claim(), UAT_ACK_STOLEN);
    push(1); /* entry 0 came back as well */
    assert_int_equal(shown(4).sp, HIGH - STEP);
    assert_int_equal(shown(5).sp, HIGH - 2 * STEP);
}

DEQUE_TEST(pop_offers_what_it_can)
{
    uintptr_t youngest;
    push(20);
    for (int i = 0; i < UAT_RING_SLOTS; i++)
        acknowledge(claim(), UAT_ACK_STOLEN);
    youngest = uat_deque_base(&deque);
    assert_false(uat_deque_pop_private(&deque, youngest)); /* because of the claims, the pop must take the slow path */
    assert_int_equal(pop(), UAT_POP_PRIVATE);
    for (uint64_t i = 16; i < 19; i++)
        assert_true(is_offered(i));
}

DEQUE_TEST(indices_past_31_bits)
{
    uint64_t start = (UINT64_C(1) << 31) - 8;
    start_at(start);
    push(20);
    for (uint64_t i = start; i < start + UAT_RING_SLOTS; i++)
        assert_true(is_offered(i));
    for (int i = 0; i < UAT_RING_SLOTS; i++)
        acknowledge(claim(), UAT_ACK_STOLEN);
    push(1);
    assert_true(is_offered(start + UAT_RING_SLOTS));
    for (int i = 0; i < 5; i++)
        assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(pop(), UAT_POP_GONE);
}

/* Pop in the way that uat_spawn() does. */
static void pop_as_a_task(void)
{
    uintptr_t sp;
    if (!uat_deque_pop_private(&deque, uat_deque_base(&deque)))
        uat_deque_pop(&deque, &sp);
}

static bool has_some(void)
{
    for (uintptr_t *e = deque.entries; e < deque.top; e++)
        if ((*e & UAT_TAG_MASK) != UAT_TAG_GONE)
            return true;
    return false;
}

/* Progress: the next claim finds an offered entry while the owner has an entry and no claim is in flight. */
DEQUE_TEST(something_is_offered)
{
    uint64_t random = 1, slow = UINT64_MAX; /* a claim in flight */
    for (int step = 0; step < 200000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned dice = random >> 60, other = random >> 40 & 3;
        if (slow == UINT64_MAX && dice < 3) {
            slow = is_offered(ring.claims) || other == 0 ? claim() : UINT64_MAX; /* no entry: claim one time in 4 */
        } else if (slow != UINT64_MAX && (dice < 8 || uat_deque_size(&deque) < 3)) {
            acknowledge(slow, is_offered(slow) && other ? UAT_ACK_STOLEN : UAT_ACK_ABORTED);
            slow = UINT64_MAX;
            push(1);
        } else if (uat_deque_size(&deque) < 2 || (dice % 2 && uat_deque_size(&deque) < 60)) {
            push(1);
        } else if (slow == UINT64_MAX) { /* otherwise the owner might wait for this thread */
            pop_as_a_task();
        }
        if (slow == UINT64_MAX && uat_deque_size(&deque) == 0)
            uat_deque_push_gone(&deque, HIGH);
        else if (slow == UINT64_MAX && has_some())
            assert_true(is_offered(ring.claims));
    }
    assert_true(deque.count.entries_aborted > 1000 && deque.count.taken_back > 1000);
}

DEQUE_TEST(claims_ahead_of_bottom)
{
    push(1);
    assert_int_equal(pop(), UAT_POP_PARTED);
    acknowledge(claim(), UAT_ACK_ABORTED); /* acknowledges index 0, whose entry was taken back */
    push(1);
    assert_false(is_offered(0));
    assert_true(is_offered(1));
}

DEQUE_TEST(slot_waits_for_acknowledgement)
{
    push(1);
    uint64_t slow = claim(); /* not acknowledged */
    for (int i = 1; i < UAT_RING_SLOTS; i++) {
        push(1);
        acknowledge(claim(), UAT_ACK_STOLEN);
    }
    push(2);
    assert_int_equal(offered(), 0 + UAT_RING_SLOTS); /* all slots still show their claimed entries */
    assert_false(is_offered(UAT_RING_SLOTS));
    assert_true(deque.count.withheld > 0);
    acknowledge(slow, UAT_ACK_STOLEN);
    push(1);
    assert_true(is_offered(UAT_RING_SLOTS));
}

DEQUE_TEST(late_acknowledgement_is_looked_for)
{
    test_offers_less_when_taken_back(state); /* leaves exactly two entries offered */
    uint64_t first = claim(), second = claim();
    push(1); /* the push sees both claims, which are not acknowledged; no entry is left to claim */
    acknowledge(first, UAT_ACK_STOLEN);
    acknowledge(second, UAT_ACK_STOLEN);
    push(1);
    assert_true(is_offered(ring.claims));
}

/* A thief acknowledges after the owner has read the ring and before the publication that needs the thief's slot. */
static bool is_late;
static bool acknowledge_late(void)
{
    if (is_late)
        acknowledge(0, UAT_ACK_ABORTED);
    is_late = false;
    return true;
}

DEQUE_TEST(acknowledgement_is_saved_before_its_slot_is_used)
{
    static bool always = true;
    push(1);
    claim(); /* index 0, not acknowledged */
    for (int i = 1; i < UAT_RING_SLOTS; i++) {
        push(1);
        acknowledge(claim(), UAT_ACK_STOLEN);
    }
    is_late = true;
    deque.user.unreleased = &always;
    deque.user.before_publication = acknowledge_late;
    push(1);
    assert_true(is_offered(UAT_RING_SLOTS));
    acknowledge(claim(), UAT_ACK_STOLEN); /* this overwrites the other acknowledgement's word */
    push(1);
    assert_int_equal(deque.count.entries_aborted, 1);
}

static bool is_refused;

static bool release_unless_refused(void)
{
    return !is_refused;
}

/* uat_deque_offer() makes the publication that a push had to postpone. So a task publishes even if it neither pushes
 * nor pops. */
DEQUE_TEST(offer_publishes)
{
    static bool always = true;
    is_refused = true;
    deque.user.unreleased = &always;
    deque.user.before_publication = release_unless_refused;
    assert_false(uat_deque_offer(&deque)); /* nothing to offer */
    push(1);
    assert_int_equal(offered(), 0);
    assert_true(uat_deque_offer(&deque));
    assert_int_equal(offered(), 0);
    is_refused = false;
    assert_true(uat_deque_offer(&deque));
    assert_int_equal(offered(), 1);
    claim();
    assert_false(uat_deque_offer(&deque));
}

DEQUE_TEST(no_record_no_publication)
{
    records = 1;
    push(5);
    assert_int_equal(offered(), 1);
    assert_true(deque.count.records_missing > 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pop(), UAT_POP_PRIVATE);
    assert_int_equal(pop(), UAT_POP_PARTED);
}

DEQUE_TEST(generation_is_new)
{
    push(1);
    uint64_t first = ring.slot[0].state;
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_false(is_offered(0));
    push(1);
    assert_true(is_offered(0));
    assert_int_not_equal(ring.slot[0].state, first);
}

DEQUE_TEST(watch_sees_every_push)
{
    deque.user.keep_private = true;
    uat_deque_start(&deque);
    uat_deque_watch(&deque, true);
    push(3);
    assert_int_equal(offered(), 0);
    assert_int_not_equal(*deque.look, deque.push_claims);
    assert_int_not_equal(*deque.look, deque.pop_claims);
}

DEQUE_TEST(overflow_traps)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        push(CAPACITY); /* one more than fits */
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_true(uat_deque_is_overflow(&deque, (uintptr_t)(deque.entries + CAPACITY)));
    assert_false(uat_deque_is_overflow(&deque, (uintptr_t)(deque.entries + CAPACITY - 1)));
}

static void push_one(void)
{
    push(1);
}

/* Acknowledgements that no thief writes: one for an entry that is claimed, and one in a slot that is about to be
 * used. */
DEQUE_TEST(corrupt_acknowledgements)
{
    push(1);
    claim();
    ring.ack[0] = uat_ack(5, UAT_ACK_STOLEN);
    assert_refusal(push_one);
}

DEQUE_TEST(corrupt_acknowledgement_of_a_slot)
{
    ring.ack[0] = uat_ack(5, UAT_ACK_STOLEN);
    assert_refusal(push_one);
}

/* 32 bits are enough for an address, wherever the region of 2 GiB is. */
TEST(places)
{
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
