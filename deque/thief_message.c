/* SPDX-License-Identifier: MIT */
/*
 * The message protocol: the thief asks, the victim gives. Model: tests/model/message.pml; invariants: mailbox.h.
 *
 * The peek takes one round trip, and the request takes another. The continuation needs no further round trip, but it
 * arrives only after the victim has checked its mailbox. The thief waits for a bounded time. Then it withdraws the
 * request and tries another victim.
 */
#include <assert.h>
#include <errno.h>

#include "base/delay.h"
#include "base/relax.h"
#include "base/word.h"
#include "deque/thief_internal.h"

enum {
    WAITING_EVERY = 1024 /* polls between two calls of thief->waiting, during a wait for an answer that is certain to
                             * arrive */
};

enum answer { ANSWER_NONE, ANSWER_GIVEN, ANSWER_REFUSED };

/* Acquire: orders the load of the count before the loads of `given` and of the stack. Pairs with the FETCH_ADD in
 * give() or uat_mail_answer(), mail.c. In give(), the FETCH_ADD follows the WRITEs of stack and `given` (M5). */
static enum answer look_for_answer(const struct uat_thief *thief)
{
    uint64_t answers = uat_cpu_load_acquire(&thief->mail->box->answers), news = answers - thief->answers;
    if (__builtin_expect(news != 0 && news != UAT_ANSWER_GIVEN && news != UAT_ANSWER_REFUSED, 0))
        uat_word_refuse(thief->transport->rank, "the count of answers in the mailbox", answers);
    return news == UAT_ANSWER_GIVEN ? ANSWER_GIVEN : news == UAT_ANSWER_REFUSED ? ANSWER_REFUSED : ANSWER_NONE;
}

/* The READ of the victim's front into landing->front[i]. */
static inline struct uat_op read_front(struct uat_thief *thief, int victim, int i)
{
    return uat_op_read(&thief->landing->front[i], &uat_mail_box(thief->mail, victim)->front,
                       sizeof(struct uat_mailbox_front));
}

/* Check an owner's words. `taken` must hold a request number of 40 bits and one of three outcomes. `offer` must hold a
 * stack pointer of the region, or 0. */
static void check_front(const struct uat_thief *thief, int victim, const struct uat_mailbox_front *front)
{
    if (__builtin_expect(front->taken >> UAT_TAKEN_BITS || (front->taken & 3) > UAT_TAKEN_DROPPED, 0))
        uat_word_refuse(victim, "the decision in the mailbox", front->taken);
    if (__builtin_expect(front->offer != 0 && front->offer - thief->low >= thief->high - thief->low, 0))
        uat_word_refuse(victim, "the offer in the mailbox", front->offer);
}

/* Choose the victim to ask. After UAT_STEAL_DONE, stolen->victim is the victim, and its mailbox is free. */
static int peek(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    int rc = uat_thief_read_all(thief, victims, read_front), result = UAT_STEAL_EMPTY;
    if (rc)
        return rc;
    stolen->trips++;
    uint64_t highest = 0; /* the entry with the highest sp is the oldest; it usually has the most work left */
    for (int i = 0; i < victims->count; i++) {
        const struct uat_mailbox_front *front = &thief->landing->front[i];
        check_front(thief, victims->rank[i], front);
        if (front->offer <= highest ||
            (thief->placing && highest > 0)) /* with a placing an address says nothing about age */
            continue;
        if (uat_mailbox_is_free(front)) {
            highest = front->offer;
            stolen->victim = victims->rank[i];
            thief->known[stolen->victim] = front->ask;
            result = UAT_STEAL_DONE;
        } else if (result == UAT_STEAL_EMPTY) {
            result = UAT_STEAL_BUSY; /* another thief's request is there */
        }
    }
    return result;
}

/* Record the free value, or UAT_ASK_UNKNOWN, that the victim's mailbox had when it was READ. */
static void note(struct uat_thief *thief, int victim, const struct uat_mailbox_front *front)
{
    thief->known[victim] = uat_mailbox_is_free(front) ? front->ask : UAT_ASK_UNKNOWN;
}

/* Did the peek READ the victim's mailbox? Under paper-message, it READ the ring instead. */
static bool has_peeked(const struct uat_thief *thief)
{
    return thief->peek && !thief->mail->giver.grants;
}

/* Put this thief's request into the victim's mailbox, if the mailbox still has the free value that the thief knows.
 * Sets *request to the request. Returns UAT_STEAL_DONE if the request is in the mailbox. */
static int ask_once(struct uat_thief *thief, int victim, uint64_t *request)
{
    struct uat_landing *l = thief->landing;
    uint64_t free = thief->known[victim];
    *request = uat_ask(uat_ask_number(free) + 1, thief->transport->rank);
    struct uat_op chain[2] = {
        uat_op_cmp_swap(&l->old, &uat_mail_box(thief->mail, victim)->front.ask, free, *request),
        /* This READ takes effect after the swap (O1). So after a failed swap, the READ may show a new free value. */
        read_front(thief, victim, 0),
    };
    uat_thief_intend(thief, victim, uat_ask_number(*request));
    int rc = uat_thief_do(thief, UAT_PHASE_ASK, victim, chain, has_peeked(thief) ? 1 : 2);
    if (rc)
        return rc;
    if (l->old == free)
        return UAT_STEAL_DONE;
    if (has_peeked(thief))
        thief->known[victim] = UAT_ASK_UNKNOWN;
    else
        note(thief, victim, &l->front[0]);
    return UAT_STEAL_LOST_RACE;
}

/* Ask the given victim, without comparing victims first. Use the last known free value of its mailbox; if none is
 * known, READ it first. If that value is out of date, try once more with the value that ask_once() has READ. */
static int ask_blindly(struct uat_thief *thief, struct uat_stolen *stolen, uint64_t *request)
{
    int victim = stolen->victim, result = UAT_STEAL_LOST_RACE;
    if (thief->known[victim] == UAT_ASK_UNKNOWN) {
        int rc = uat_thief_read_all(thief, &(struct uat_victims){.count = 1, .rank = {victim}}, read_front);
        if (rc)
            return rc;
        stolen->trips++;
        note(thief, victim, &thief->landing->front[0]);
    }
    for (int tries = 0; tries < 2 && result == UAT_STEAL_LOST_RACE; tries++) {
        if (thief->known[victim] == UAT_ASK_UNKNOWN)
            break;
        result = ask_once(thief, victim, request);
        stolen->trips++;
    }
    return result;
}

/*
 * Poll for the answer once. Also refuse a request that has reached this worker in the meantime.
 */
static int look(struct uat_thief *thief, enum answer *answer)
{
    int rc = thief->transport->class_->progress(thief->transport);
    uat_mail_refuse(thief->mail);
    *answer = look_for_answer(thief);
    return rc;
}

/* Wait for an answer that is certain to arrive. */
static int await(struct uat_thief *thief, int victim, enum answer *answer)
{
    struct uat_relax relax = {0};
    int rc = look(thief, answer);
    while (!rc && *answer == ANSWER_NONE) {
        uat_relax(&relax);
        if (relax.spins % WAITING_EVERY == 0 && thief->waiting)
            thief->waiting(victim);
        rc = look(thief, answer);
    }
    if (thief->waited)
        thief->waited();
    return rc;
}

/*
 * READ `taken` until it is no longer { this request, LOOKING }. When this function returns, the owner has decided the
 * withdrawn request, or has not seen it. Sets *answered to true if the owner gave or refused.
 */
static int learn_decision(struct uat_thief *thief, int victim, uint64_t number, bool *answered, unsigned *trips)
{
    const struct uat_mailbox_front *front = &thief->landing->front[0];
    struct uat_relax relax = {0};
    while (uat_taken_is(front->taken, number, UAT_TAKEN_LOOKING)) {
        struct uat_op op = read_front(thief, victim, 0);
        uat_relax_away(&relax);
        if (relax.spins % WAITING_EVERY == 0 && thief->waiting)
            thief->waiting(victim);
        int rc = uat_thief_do(thief, UAT_PHASE_WITHDRAW, victim, &op, 1);
        if (rc)
            return rc;
        ++*trips;
    }
    check_front(thief, victim, front);
    /* The owner cannot have decided a later request, because no thief can ask while this request is being withdrawn
     * (M4). */
    uint64_t ahead = (front->taken >> 2) - number;
    if (ahead != 0 && ahead < UINT64_C(1) << (UAT_TAKEN_BITS - 3))
        uat_word_refuse(victim, "the decision in the mailbox", front->taken);
    *answered = uat_taken_is(front->taken, number, UAT_TAKEN_ANSWERED);
    return 0;
}

/* Withdraw the request (M4). Sets *answer to the answer that arrived in the meantime, or to ANSWER_NONE. */
static int withdraw(struct uat_thief *thief, int victim, uint64_t request, enum answer *answer, unsigned *trips)
{
    struct uat_landing *l = thief->landing;
    uint64_t *ask = &uat_mail_box(thief->mail, victim)->front.ask, number = uat_ask_number(request);
    struct uat_op chain[2] = {
        uat_op_cmp_swap(&l->old, ask, request, request | UAT_ASK_WITHDRAWN),
        /* This READ takes effect after the swap (O1). Pairs with the fence in uat_mail_decide(), mail.c. */
        read_front(thief, victim, 0),
    };
    uat_delay();
    int rc = uat_thief_do(thief, UAT_PHASE_WITHDRAW, victim, chain, 2);
    if (rc)
        return rc;
    ++*trips;
    /* If the swap failed, a later request is in the mailbox. So the owner decided and answered this request before it
     * could be withdrawn. */
    bool withdrawn = l->old == request, answered = true;
    if (withdrawn && (rc = learn_decision(thief, victim, number, &answered, trips)))
        return rc;
    *answer = ANSWER_NONE;
    if (answered && (rc = await(thief, victim, answer)))
        return rc;
    if (!withdrawn)
        return 0;
    thief->known[victim] = uat_ask(number, UAT_ASK_NONE);
    struct uat_op op = uat_op_cmp_swap(NULL, ask, request | UAT_ASK_WITHDRAWN, thief->known[victim]);
    uat_delay();
    return uat_transport_post_unsignaled(thief->transport, victim, &op, 1);
}

/* Wait for the answer to our request. After thief->patience polls, withdraw the request. */
static int get_answer(struct uat_thief *thief, struct uat_stolen *stolen, uint64_t request, enum answer *answer)
{
    struct uat_relax relax = {0};
    uint64_t begin = uat_phase_begin();
    int rc = look(thief, answer);
    while (!rc && *answer == ANSWER_NONE && relax.spins < thief->patience) {
        uat_relax_away(&relax);
        rc = look(thief, answer);
    }
    uat_phase_end(UAT_PHASE_ANSWER, begin);
    thief->known[stolen->victim] = request; /* this value becomes free when the request is decided */
    if (rc || *answer != ANSWER_NONE)
        return rc;
    return withdraw(thief, stolen->victim, request, answer, &stolen->trips);
}

/* The stack of the stolen continuation is in place: set sp and base. */
static int take(struct uat_thief *thief, struct uat_stolen *stolen)
{
    struct uat_stack stack = uat_place_stack(thief->mail->box->given, thief->low);
    stolen->sp = stack.sp;
    stolen->base = stack.base;
    if (uat_thief_is_sane(thief, stack))
        return UAT_STEAL_DONE;
    return uat_word_report(thief->transport->rank, "the stack given in the mailbox", thief->mail->box->given);
}

int uat_thief_ask(struct uat_thief *thief, struct uat_stolen *stolen)
{
    uint64_t request;
    enum answer answer;
    int result;
    if (has_peeked(thief)) {
        result = ask_once(thief, stolen->victim, &request);
        stolen->trips++;
    } else {
        result = ask_blindly(thief, stolen, &request);
    }
    if (result != UAT_STEAL_DONE)
        return result;
    int rc = get_answer(thief, stolen, request, &answer);
    if (rc)
        return rc;
    thief->answers = __atomic_load_n(&thief->mail->box->answers, __ATOMIC_RELAXED); /* as seen in look_for_answer() */
    if (answer == ANSWER_GIVEN)
        return UAT_STEAL_DONE;
    thief->count.refused += answer == ANSWER_REFUSED;
    thief->count.withdrawn += answer == ANSWER_NONE;
    return answer == ANSWER_REFUSED ? UAT_STEAL_EMPTY : UAT_STEAL_BUSY;
}

static int attempt(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    int result = UAT_STEAL_DONE;
    stolen->victim = victims->rank[0];
    uat_mail_refuse(thief->mail);
    if (thief->peek)
        result = peek(thief, victims, stolen);
    if (result == UAT_STEAL_DONE)
        result = uat_thief_ask(thief, stolen);
    return result == UAT_STEAL_DONE ? take(thief, stolen) : result;
}

int uat_message_steal(struct uat_thief *thief, const struct uat_victims *victims, struct uat_stolen *stolen)
{
    *stolen = (struct uat_stolen){0};
    return uat_thief_count(thief, attempt(thief, victims, stolen));
}

int uat_message_poke(struct uat_thief *thief, int victim)
{
    struct uat_landing *l = thief->landing;
    uint64_t *ask = &uat_mail_box(thief->mail, victim)->front.ask;
    int rc = uat_thief_read_all(thief, &(struct uat_victims){.count = 1, .rank = {victim}}, read_front);
    if (rc)
        return rc;
    check_front(thief, victim, &l->front[0]);
    if (!uat_mailbox_is_free(&l->front[0]))
        return 0;
    uint64_t free = l->front[0].ask, number = uat_ask_number(free) + 1;
    /* The request is marked WITHDRAWN from the start, so the owner never decides it and gives no stack. A stack could
     * overwrite a task in this worker's region (M6). */
    uint64_t request = uat_ask(number, thief->transport->rank) | UAT_ASK_WITHDRAWN;
    struct uat_op op = uat_op_cmp_swap(&l->old, ask, free, request);
    uat_delay();
    rc = uat_thief_do(thief, UAT_PHASE_WITHDRAW, victim, &op, 1);
    if (rc || l->old != free)
        return rc;
    thief->known[victim] = uat_ask(number, UAT_ASK_NONE);
    op = uat_op_cmp_swap(NULL, ask, request, thief->known[victim]);
    uat_delay();
    return uat_transport_post_unsignaled(thief->transport, victim, &op, 1);
}
