/* SPDX-License-Identifier: MIT */
/*
 * Description: the owner's side of the deque, without thieves. A pop returns the right answer for a private entry, for
 * a published entry, and for an entry that the test has claimed in a thief's place. Bases are dropped at the right
 * time.
 */
#include "tests/unit/deque_alone.h"

DEQUE_TEST(pops_private_entries_in_order)
{
    push(40);
    for (unsigned i = 40; i > UAT_RING_SLOTS; i--) {
        uintptr_t sp;
        assert_int_equal(uat_deque_pop(&deque, &sp), UAT_POP_PRIVATE);
        assert_int_equal(sp, HIGH - STEP * i);
    }
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(deque.count.taken_back, 1);
    assert_false(is_offered(UAT_RING_SLOTS - 1));
}

/* A base is dropped only if the deque holds nothing else. An entry is never dropped. Nothing is dropped if claims may
 * have changed since the owner last read it. */
DEQUE_TEST(drop_base)
{
    uintptr_t sp;
    assert_false(uat_deque_drop_base(&deque)); /* the owner has not yet read the claims */
    push(1);
    pop();
    assert_true(uat_deque_drop_base(&deque)); /* setup()'s base */
    assert_int_equal(uat_deque_size(&deque), 0);
    assert_false(uat_deque_drop_base(&deque));
    uat_deque_push_gone(&deque, HIGH);
    uat_deque_push_gone(&deque, HIGH - 64);
    assert_false(uat_deque_drop_base(&deque));
    assert_int_equal(uat_deque_pop(&deque, &sp), UAT_POP_GONE);
    push(1);
    assert_false(uat_deque_drop_base(&deque));
    assert_int_not_equal(uat_deque_pop(&deque, &sp), UAT_POP_GONE);
    assert_true(uat_deque_drop_base(&deque));
}

DEQUE_TEST(stolen_entry_is_gone)
{
    push(3);
    uint64_t index = claim();
    assert_int_equal(index, 0);
    acknowledge(index, UAT_ACK_STOLEN);
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(pop(), UAT_POP_PARTED);
    assert_int_equal(pop(), UAT_POP_GONE);
    assert_int_equal(pop(), UAT_POP_GONE); /* the base of the first task */
    assert_int_equal(uat_deque_size(&deque), 0);
}

static unsigned waits, ends;

static void acknowledge_late(void *context, uint64_t index)
{
    assert_int_equal(ends, 0);
    if (++waits == 2)
        acknowledge(index, UAT_ACK_STOLEN);
}

static void note_end(void *context)
{
    ends++;
}

DEQUE_TEST(wait_has_an_end)
{
    deque.user.waiting = acknowledge_late;
    deque.user.waited = note_end;
    waits = ends = 0;
    push(1);
    claim();
    assert_int_equal(pop(), UAT_POP_GONE);
    assert_int_equal(waits, 2);
    assert_int_equal(ends, 1);
}
