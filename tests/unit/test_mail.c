/* SPDX-License-Identifier: MIT */
/*
 * Description: the message protocol step by step. Thief and victim share one process. The test's own transport lets the
 * victim check for requests at a chosen moment. The test covers:
 * - the operations that a steal posts
 * - withdrawal at every point of the victim's decision
 * - refusals, and requests that wait for the victim's next push
 * - a stack that was given away and must not be reused too early
 */
#include <string.h>

#include "deque/mail.h"
#include "deque/owner.h"
#include "deque/thief.h"
#include "tests/test.h"
#include "tests/unit/refusal.h"
#include "tests/unit/wire.h"

enum { STACK_WORDS = 512, THIEF = 0, VICTIM = 1 };

/* The segments of the thief (`mine`) and of the victim (`theirs`). An address in `mine` stands for the same place in
 * `theirs`. */
struct segment {
    struct uat_ring ring;
    struct uat_mailbox mailbox;
    struct uat_landing landing;
    struct uat_notice notice;
    _Alignas(64) uint64_t stack[STACK_WORDS];
};
static struct segment mine, theirs;
static struct uat_thief thief;
static struct uat_deque own, victim; /* the victim's stacks have addresses in `theirs` */
static struct uat_mail own_mail, victim_mail;
static struct uat_stolen stolen;

static struct wire thiefs, victims;

static bool can_part;
static int parted;

static bool part(void *context, uintptr_t sp)
{
    parted += can_part;
    return can_part;
}

static int setup(void **state)
{
    memset(&mine, 0, sizeof(mine));
    memset(&theirs, 0, sizeof(theirs));
    thiefs = (struct wire){.head = {.class_ = &wire_class, .size = 2, .rank = THIEF},
                           .from = (char *)&mine,
                           .to = (char *)&theirs,
                           .peer = VICTIM};
    victims = (struct wire){.head = {.class_ = &wire_class, .size = 2, .rank = VICTIM},
                            .from = (char *)&theirs,
                            .to = (char *)&mine,
                            .peer = THIEF};
    can_part = true;
    parted = 0;
    const struct uat_deque_user user = {.part = part};
    if (uat_deque_open(&own, &mine.ring, 16, &user) || uat_deque_open(&victim, &theirs.ring, 16, &user) ||
        uat_thief_open(&thief, &thiefs.head, &mine.ring, &mine.landing, &mine.notice))
        return -1;
    uat_mail_open(&own_mail, &own, &thiefs.head, &mine.mailbox, &mine.landing.mail);
    uat_mail_open(&victim_mail, &victim, &victims.head, &theirs.mailbox, &theirs.landing.mail);
    thief.mail = &own_mail;
    thief.patience = 3;
    /* In this test the two segments have different addresses, so the address that arrives is in `theirs`. */
    thief.low = (uintptr_t)theirs.stack;
    thief.high = (uintptr_t)(theirs.stack + STACK_WORDS);
    uat_deque_start(&victim);
    uat_deque_push_gone(&victim, (uintptr_t)(theirs.stack + STACK_WORDS));
    return 0;
}

static int teardown(void **state)
{
    uat_thief_close(&thief);
    uat_deque_close(&own);
    uat_deque_close(&victim);
    return 0;
}

/* The victim pushes an entry whose stack has 8 words, each equal to `value`. */
static void push(uint64_t value)
{
    uint64_t *base = (uint64_t *)uat_deque_base(&victim), *sp = base - 8;
    for (uint64_t *p = sp; p < base; p++)
        *p = value;
    uat_deque_push(&victim, (uintptr_t)sp);
}

static void look(void)
{
    uat_mail_look(&victim, UAT_MAIL_POP);
}

static int steal(void)
{
    wire_clear(&thiefs);
    int result = uat_message_steal(&thief, &(struct uat_victims){.count = 1, .rank = {VICTIM}}, &stolen);
    memset(thiefs.before, 0, sizeof(thiefs.before));
    thiefs.on_look = NULL;
    assert_true(uat_mailbox_is_free(&theirs.mailbox.front)); /* whatever the outcome, other thieves may ask */
    return result;
}

static void look_at_first(int looks)
{
    if (looks == 2) /* after the completions of the peek and of the swap */
        look();
}

TEST_WITH(given, setup, teardown)
{
    push(7);
    push(8);
    assert_int_equal(theirs.mailbox.front.offer, victim.entries[1]);
    thiefs.on_look = look_at_first;
    assert_int_equal(steal(), UAT_STEAL_DONE);
    assert_int_equal(stolen.trips, 2);
    assert_int_equal(thiefs.chains, 2);
    assert_int_equal(thiefs.ops[1][UAT_OP_CMP_SWAP], 1);
    assert_int_equal(thiefs.ops[1][UAT_OP_READ], 0);
    assert_int_equal(victims.ops[0][UAT_OP_WRITE], 2);
    assert_int_equal(parted, 1);
    assert_int_equal(stolen.base - stolen.sp, 64);
    assert_int_equal(mine.stack[STACK_WORDS - 8], 7); /* the oldest entry, at its own place */
    assert_int_equal(mine.stack[STACK_WORDS - 9], 0); /* nothing else has arrived */
    uintptr_t sp;
    assert_int_equal(uat_deque_pop(&victim, &sp), UAT_POP_PRIVATE);
    assert_false(victim_mail.sent.done); /* for a private entry there is nothing to wait for */
    assert_int_equal(uat_deque_pop(&victim, &sp), UAT_POP_GONE);
    assert_true(victim_mail.sent.done); /* M7: the stack of the given entry may be reused from now on */
}

TEST_WITH(empty_is_not_asked, setup, teardown)
{
    assert_int_equal(steal(), UAT_STEAL_EMPTY);
    assert_int_equal(thiefs.chains, 1);
}

/* A steal without a peek takes one round trip if the predicted value is right, and two if it is out of date. */
TEST_WITH(blind, setup, teardown)
{
    thief.peek = false;
    push(7);
    push(8);
    thiefs.on_look = look_at_first;
    assert_int_equal(steal(), UAT_STEAL_DONE);
    assert_int_equal(stolen.trips, 1);
    theirs.mailbox.front.ask = uat_ask(9, 5);                      /* another thief has asked before */
    theirs.mailbox.front.taken = uat_taken(9, UAT_TAKEN_ANSWERED); /* and it has its answer */
    victim_mail.decided = 9;
    victims.pending->done = true;
    thiefs.on_look = look_at_first;
    assert_int_equal(steal(), UAT_STEAL_DONE);
    assert_int_equal(stolen.trips, 2);
    assert_int_equal(theirs.mailbox.front.ask, uat_ask(10, THIEF));
}

/* Another thief's request is in the mailbox: no thief overwrites it. */
TEST_WITH(taken_mailbox, setup, teardown)
{
    push(7);
    theirs.mailbox.front.ask = uat_ask(1, 5);
    uint64_t ask = theirs.mailbox.front.ask;
    thiefs.chains = 0;
    for (int peek = 0; peek < 2; peek++) {
        thief.peek = peek;
        assert_int_equal(uat_message_steal(&thief, &(struct uat_victims){.count = 1, .rank = {VICTIM}}, &stolen),
                         peek ? UAT_STEAL_BUSY : UAT_STEAL_LOST_RACE);
        assert_int_equal(theirs.mailbox.front.ask, ask);
    }
}

TEST_WITH(refused, setup, teardown)
{
    push(7);
    can_part = false; /* no record is free */
    thiefs.on_look = look_at_first;
    assert_int_equal(steal(), UAT_STEAL_EMPTY);
    assert_int_equal(thief.count.refused, 1);
    assert_int_equal(victim.entries[1] & UAT_TAG_MASK, UAT_TAG_PRIVATE);
    thief.peek = false; /* the thief asks although the victim has no entry; only an idle victim would refuse */
    uintptr_t sp;
    assert_int_equal(uat_deque_pop(&victim, &sp), UAT_POP_PRIVATE);
    thiefs.before[1] = NULL;
    thiefs.on_look = look_at_first; /* the check for requests leaves this request to the next push */
    assert_int_equal(steal(), UAT_STEAL_BUSY);
    assert_int_equal(thief.count.withdrawn, 1);
}

static void refuse_as_idle(int looks)
{
    if (looks == 1)
        uat_mail_refuse(&victim_mail);
}

TEST_WITH(idle_victim_refuses, setup, teardown)
{
    uintptr_t sp;
    push(6);
    assert_int_equal(uat_deque_pop(&victim, &sp), UAT_POP_PRIVATE);
    thief.peek = false;
    thiefs.on_look = refuse_as_idle;
    assert_int_equal(steal(), UAT_STEAL_EMPTY);
    assert_int_equal(theirs.mailbox.front.offer, 0);
    assert_int_equal(victim.push_claims, UINT64_MAX); /* the next push takes the slow path, whatever `ask` is */
    push(7);
    assert_int_equal(theirs.mailbox.front.offer, victim.entries[1]);
}

/* A pop that takes the last entry leaves nothing to give. The next push answers the request. */
TEST_WITH(waits_for_push, setup, teardown)
{
    uintptr_t sp;
    push(7);
    theirs.mailbox.front.ask = uat_ask(1, THIEF);
    assert_int_equal(uat_deque_pop(&victim, &sp), UAT_POP_PRIVATE);
    assert_int_equal(mine.mailbox.answers, 0);
    push(8);
    assert_int_equal(mine.mailbox.answers, UAT_ANSWER_GIVEN);
    push(9); /* the first push after all entries were given away takes the slow path */
    assert_int_equal(theirs.mailbox.front.offer, victim.top[-1]);
    theirs.mailbox.front.ask = uat_ask(2, THIEF);
    victims.pending = NULL; /* the stack has not been sent yet, so the next request must also wait */
    look();
    assert_int_equal(mine.mailbox.answers, UAT_ANSWER_GIVEN);
    victim_mail.sent.done = true;
    look();
    assert_int_equal(mine.mailbox.answers, 2 * UAT_ANSWER_GIVEN);
}

/* A task answers requests even if it does not push or pop. It refuses no request while it has an entry. */
TEST_WITH(offer_answers, setup, teardown)
{
    assert_false(uat_deque_offer(&victim)); /* nothing to offer */
    push(7);
    assert_true(uat_deque_offer(&victim));
    assert_int_equal(mine.mailbox.answers, 0); /* no thief asks */
    theirs.mailbox.front.ask = uat_ask(1, THIEF);
    assert_false(uat_deque_offer(&victim));
    assert_int_equal(mine.mailbox.answers, UAT_ANSWER_GIVEN);
    assert_int_equal(victim.entries[1] & UAT_TAG_MASK, UAT_TAG_GONE);
}

TEST_WITH(withdrawn_unseen, setup, teardown)
{
    push(7);
    assert_int_equal(steal(), UAT_STEAL_BUSY);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(theirs.mailbox.front.ask, uat_ask(1, UAT_ASK_NONE));
    look();
    assert_int_equal(mine.mailbox.answers, 0);
    assert_int_equal(victim.entries[1] & UAT_TAG_MASK, UAT_TAG_PRIVATE);
}

/* The victim answers just before the withdrawal, so the thief finds the answer and keeps the stolen entry. */
TEST_WITH(withdrawn_too_late, setup, teardown)
{
    push(7);
    thiefs.before[2] = look;
    assert_int_equal(steal(), UAT_STEAL_DONE);
    assert_int_equal(stolen.trips, 3);
    assert_int_equal(thief.count.withdrawn, 0);
}

/* The victim answers, and then another thief asks. The withdrawal's swap fails, but the answer has arrived. */
static void answer_and_ask_anew(void)
{
    look();
    theirs.mailbox.front.ask = uat_ask(2, UAT_ASK_NONE);
}

TEST_WITH(withdrawal_loses, setup, teardown)
{
    push(7);
    thiefs.before[2] = answer_and_ask_anew;
    assert_int_equal(steal(), UAT_STEAL_DONE);
    assert_int_equal(theirs.mailbox.front.ask, uat_ask(2, UAT_ASK_NONE));
}

/* The victim is between the two stores of its decision: the thief READs until the decision is complete. */
static void begin_to_look(void)
{
    theirs.mailbox.front.taken = uat_taken(1, UAT_TAKEN_LOOKING);
}
static void drop(void)
{
    theirs.mailbox.front.taken = uat_taken(1, UAT_TAKEN_DROPPED);
    victim_mail.decided = 1;
}

TEST_WITH(withdrawn_while_looking, setup, teardown)
{
    push(7);
    thiefs.before[2] = begin_to_look;
    thiefs.before[4] = drop;
    assert_int_equal(steal(), UAT_STEAL_BUSY);
    assert_int_equal(stolen.trips, 5); /* peek, request, withdrawal, and two READs */
    assert_int_equal(thiefs.ops[3][UAT_OP_READ], 1);
}

/* The owner answers a request that no thief made. */
static void decide_a_later_one(void)
{
    theirs.mailbox.front.taken = uat_taken(9, UAT_TAKEN_ANSWERED);
}

static void decide_what_no_number_says(void)
{
    theirs.mailbox.front.taken = UINT64_C(1) << 50;
}

static void steal_one(void)
{
    steal();
}

/* Corrupt a word just before the thief's chain with this number. The steal must refuse the word. */
static void check_corrupt_word(int chain, void (*corrupt)(void))
{
    push(7);
    thiefs.before[chain] = corrupt;
    assert_refusal(steal_one);
    memset(thiefs.before, 0, sizeof(thiefs.before));
}

TEST_WITH(corrupt_front, setup, teardown)
{
    check_corrupt_word(0, decide_what_no_number_says);
}

TEST_WITH(corrupt_decision, setup, teardown)
{
    check_corrupt_word(2, decide_a_later_one);
}
