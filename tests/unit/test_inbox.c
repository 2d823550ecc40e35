/* SPDX-License-Identifier: MIT */
/*
 * Description: the inbox, on the test's own transport. Every sent task arrives once and in order. Sending and taking
 * need the number of round trips that inbox.h promises. This holds even if one sender overtakes another sender or the
 * home. Before the home takes tasks, it announces that it has work. A task of the ready list is passed over no more
 * often than inbox.h promises. Invalid names are refused.
 */
#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "deque/inbox.h"
#include "deque/thief.h"
#include "tests/test.h"
#include "tests/unit/one_process.h"

enum { LOW = 1 << 20, BLOCKS = 200, SENDERS = 3, MOST = 1000 };

static uint64_t head;
static struct uat_notice notice;
static struct uat_inbox_landing landing[SENDERS + 1];
static struct uat_inbox inbox[SENDERS + 1]; /* number 0 belongs to the home */
static struct uat_ready ready;              /* belongs to the home */
static uint64_t block[BLOCKS][8];
static void (*before_swap)(void); /* called just before a CMP_SWAP of head, if not NULL */

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (ops[0].code == UAT_OP_CMP_SWAP) {
        assert_int_equal(peer, 0);
        assert_ptr_equal(ops[0].remote, &head);
        assert_true(t->rank != 0 || notice.work % 2 == 1); /* I5 */
        void (*act)(void) = before_swap;
        before_swap = NULL;
        if (act)
            act();
    }
    return execute_chain(ops, count, p);
}

static const struct uat_transport_class class = {.name = "wire", .post = post, .progress = no_progress};
static struct uat_transport transport[SENDERS + 1];

/* Only the start of a block counts as a block; every other address counts as outside of all heaps. */
static bool is_block(uint64_t where, size_t bytes)
{
    uintptr_t at = (uintptr_t)(where & ((UINT64_C(1) << 48) - 1)), first = (uintptr_t)block;
    return bytes == 0 && at >= first && at < first + sizeof(block) && (at - first) % sizeof(block[0]) == 0;
}

static int setup(void **state)
{
    const struct uat_ready_parts parts = {.low = LOW};
    head = 0;
    before_swap = NULL;
    memset(&notice, 0, sizeof(notice));
    for (int i = 0; i <= SENDERS; i++) {
        transport[i] = (struct uat_transport){.class_ = &class, .size = SENDERS + 1, .rank = i};
        inbox[i] = (struct uat_inbox){.transport = &transport[i],
                                      .head = &head,
                                      .landing = &landing[i],
                                      .notice = &notice,
                                      .is_block = is_block,
                                      .blocks_max = MOST};
        uat_inbox_open(&inbox[i]);
    }
    uat_ready_open(&ready, &transport[0], &parts);
    return 0;
}

static int teardown(void **state)
{
    for (int i = 0; i <= SENDERS; i++)
        uat_inbox_close(&inbox[i]);
    uat_ready_close(&ready);
    return 0;
}

static uint64_t name_of(int sender, int number)
{
    return (uint64_t)sender << 48 | (uintptr_t)block[number];
}

static void send(int sender, int number)
{
    block[number][2] = LOW + 8 * (uint64_t)number;
    block[number][3] = LOW + 8 * (uint64_t)number + 64;
    block[number][4] = uat_inbox_tag(0);
    assert_int_equal(uat_inbox_send(&inbox[sender], 0, name_of(sender, number)), 0);
}

/* The number of the block of the next task, or -1. */
static int take(void)
{
    struct uat_ready_task task;
    int rc = uat_inbox_take(&inbox[0], &task);
    assert_true(rc >= 0);
    if (rc == 0)
        return -1;
    int number = (int)((task.sp - LOW) / 8);
    assert_int_equal(task.base, task.sp + 64);
    assert_ptr_equal(uat_ready_block(&task), block[number]);
    return number;
}

TEST_WITH(in_order, setup, teardown)
{
    assert_false(uat_inbox_any(&inbox[0]));
    assert_int_equal(take(), -1);
    for (int i = 0, sent = 0; i < 20; i++) {
        int first = sent;
        uint64_t before = transport[0].round_trips;
        for (int k = 0; k < i; k++, sent++)
            send(1, sent % BLOCKS);
        assert_int_equal(uat_inbox_any(&inbox[0]), i > 0);
        for (int k = 0; k < i; k++)
            assert_int_equal(take(), (first + k) % BLOCKS);
        assert_int_equal(take(), -1);
        assert_int_equal(transport[0].round_trips - before, i > 0 ? 1 + i : 0); /* one for the swap, and one READ per
                                                                                 * task */
    }
    assert_int_equal(inbox[1].sent, 190);
}

static void another_sends(void)
{
    send(2, 101);
}

static void home_empties(void)
{
    assert_int_equal(take(), 50);
    assert_int_equal(take(), -1);
    send(3, 50); /* the head has its earlier value again, but another list follows the block */
}

/* Senders that lose the race to another sender or to the home. */
TEST_WITH(races, setup, teardown)
{
    before_swap = another_sends;
    send(1, 100);
    assert_int_equal(transport[1].round_trips, 2);
    assert_int_equal(take(), 101);
    assert_int_equal(take(), 100);

    send(3, 50);
    before_swap = home_empties;
    send(1, 60); /* Its first swap fails. Its second swap expects the name of block 50. The home has taken that block
                  * since, and sender 3 has sent it again. */
    assert_int_equal(take(), 50);
    assert_int_equal(take(), 60);
    assert_int_equal(take(), -1);

    send(1, 7);
    before_swap = another_sends; /* another worker sends while the home takes */
    assert_int_equal(take(), 7);
    assert_int_equal(take(), 101);
    assert_int_equal(take(), -1);
}

/* Sent tasks and ready tasks are taken. No two sent tasks may be taken in a row while a ready task waits. */
TEST_WITH(turns, setup, teardown)
{
    struct uat_random random = uat_random_seed(3, 1);
    struct uat_ready_task task = {.sp = LOW, .base = LOW + 64, .where = 8};
    unsigned listed = 0, sent = 0, passed = 0, both = 0;
    int next = 0;
    for (int i = 0; i < 20000; i++) {
        unsigned what = (unsigned)(uat_random_next(&random) % 8);
        if (what < 2 && sent < BLOCKS) {
            send(1 + (int)what, next);
            next = (next + 1) % BLOCKS;
            sent++;
        } else if (what < 4 && listed < 50) {
            task.where = 8;
            assert_int_equal(uat_ready_push(&ready, &task), 0);
            listed++;
        } else {
            int rc = uat_inbox_take_next(&inbox[0], &ready, &task);
            assert_int_equal(rc, sent + listed > 0);
            if (rc == 0)
                continue;
            bool was_sent = task.where != 8;
            both += sent > 0 && listed > 0;
            passed = was_sent && listed > 0 ? passed + 1 : 0;
            assert_true(passed <= 1);
            sent -= was_sent;
            listed -= !was_sent;
        }
    }
    assert_true(both > 1000);
}

TEST_WITH(refused, setup, teardown)
{
    struct uat_ready_task task;
    head = name_of(1, 0) + 8; /* not a block */
    assert_int_equal(uat_inbox_take(&inbox[0], &task), -EPROTO);
    teardown(state);
    assert_int_equal(setup(state), 0);
    head = name_of(0, 0); /* no worker sends to itself */
    assert_int_equal(uat_inbox_take(&inbox[0], &task), -EPROTO);
    teardown(state);
    assert_int_equal(setup(state), 0);
    send(1, 0);
    block[0][4] = uat_inbox_tag(1); /* sent to another worker */
    assert_int_equal(uat_inbox_take(&inbox[0], &task), -EPROTO);
    teardown(state);
    assert_int_equal(setup(state), 0);
    send(1, 0);
    send(1, 1);
    block[0][1] = name_of(1, 1); /* a cycle */
    assert_int_equal(uat_inbox_take(&inbox[0], &task), -EPROTO);
}
