/* SPDX-License-Identifier: MIT */
#include "deque/mail.h"

#include <sys/types.h>

#include "base/delay.h"
#include "base/virtual.h"
#include "base/word.h"
#include "deque/phase.h"

/* The look word never has this value, because requests are numbered from 0. */
#define NEVER UINT64_MAX

static void check(const struct uat_mail *mail, int rc)
{
    if (rc < 0 && mail->failed)
        mail->failed(rc);
}

void uat_mail_settle(struct uat_mail *mail)
{
    struct uat_pending *sent = &mail->sent;
    if (!sent->done)
        check(mail, uat_transport_wait(mail->transport, &sent, 1));
}

/* Is the WRITE of the last given stack complete? Polls once and does not wait. */
static bool has_left(struct uat_mail *mail)
{
    if (!mail->sent.done)
        check(mail, mail->transport->class_->progress(mail->transport));
    return mail->sent.done;
}

/* Relaxed: the request consists of this word alone. Pairs with the CMP_SWAP in ask_once(), thief_message.c. */
static uint64_t load_ask(const struct uat_mail *mail)
{
    return __atomic_load_n(&mail->box->front.ask, __ATOMIC_RELAXED);
}

/* Is there a request to decide? A request marked as withdrawn belongs to its thief (M4). */
static bool is_asked(const struct uat_mail *mail, uint64_t ask)
{
    if (__builtin_expect(uat_ask_rank(ask) >= mail->transport->size, 0))
        uat_word_refuse(mail->transport->rank, "the request in the mailbox", ask);
    return uat_ask_number(ask) != mail->decided && uat_ask_rank(ask) != UAT_ASK_NONE && !(ask & UAT_ASK_WITHDRAWN);
}

static void show_offer(struct uat_mail *mail, uint64_t sp)
{
    if (mail->shown == sp)
        return;
    mail->shown = sp;
    if (sp == 0)
        mail->deque->push_claims = NEVER; /* nothing is on offer, so the next push must take the slow path and offer */
    /* Relaxed: a hint. Pairs with the READ in peek(), thief_message.c. */
    uat_store_relaxed(UAT_IS_VIRTUAL(), &mail->box->front.offer, sp);
}

uint64_t uat_mail_request(const struct uat_mail *mail, uint64_t *seen)
{
    *seen = load_ask(mail);
    return is_asked(mail, *seen) ? *seen : 0;
}

bool uat_mail_decide(struct uat_mail *mail, uint64_t ask)
{
    const bool simulated = UAT_IS_VIRTUAL();
    uint64_t number = uat_ask_number(ask), *taken = &mail->box->front.taken;
    mail->decided = number;
    uat_delay();
    uat_store_relaxed(simulated, taken, uat_taken(number, UAT_TAKEN_LOOKING));
    /* Full fence: orders the mark LOOKING before the load of ask. Pairs with withdraw(), thief_message.c, whose chain
     * orders the CMP_SWAP on ask before the READ of taken. So either the owner sees the withdrawal, or the thief sees
     * the mark. */
    uat_fence(simulated);
    uat_delay();
    bool stands = load_ask(mail) == ask;
    uat_delay();
    /* Relaxed: this store announces whether an answer will arrive. It does not say that the answer has arrived. */
    uat_store_relaxed(simulated, taken, uat_taken(number, stands ? UAT_TAKEN_ANSWERED : UAT_TAKEN_DROPPED));
    uat_delay();
    if (!stands)
        mail->count.dropped++;
    return stands;
}

void uat_mail_answer(struct uat_mail *mail, int thief, uint64_t answer)
{
    struct uat_op op = uat_op_fetch_add(NULL, &uat_mail_box(mail, thief)->answers, answer);
    mail->count.refused += answer == UAT_ANSWER_REFUSED;
    check(mail, uat_transport_post_unsignaled(mail->transport, thief, &op, 1));
}

static void refuse(struct uat_mail *mail, int thief)
{
    uat_mail_answer(mail, thief, UAT_ANSWER_REFUSED);
}

/*
 * WRITE the continuation [sp, base) to the same addresses at the thief. These addresses are free, because the thief's
 * region is empty (M6).
 */
static void give(struct uat_mail *mail, int thief, uintptr_t sp, uintptr_t base)
{
    struct uat_mail_landing *l = mail->landing;
    struct uat_mailbox *there = uat_mail_box(mail, thief);
    l->given = uat_place(sp, base);
    struct uat_op chain[] = {
        uat_op_write((void *)sp, (void *)sp, base - sp),
        uat_op_write(&l->given, &there->given, sizeof(l->given)),
        /* This FETCH_ADD takes effect after both WRITEs (O1). The WRITEs may take effect in either order. The FETCH_ADD
         * pairs with the load in look_for_answer(), thief_message.c. */
        uat_op_fetch_add(&l->old, &there->answers, UAT_ANSWER_GIVEN),
    };
    mail->deque->count.given++;
    uint64_t begin = uat_phase_begin();
    check(mail, uat_transport_post(mail->transport, thief, chain, 3, &mail->sent));
    uat_phase_end(UAT_PHASE_GIVE, begin);
}

void uat_mail_refuse(struct uat_mail *mail)
{
    uint64_t ask = load_ask(mail);
    show_offer(mail, 0);
    if (is_asked(mail, ask) && uat_mail_decide(mail, ask))
        refuse(mail, uat_ask_rank(ask));
}

/* The position of the oldest entry that the owner can give, or -1. */
static ssize_t find_oldest(struct uat_deque *d)
{
    size_t n = uat_deque_size(d);
    while (d->last < n && (d->entries[d->last] & UAT_TAG_MASK) == UAT_TAG_GONE)
        d->last++;
    return d->last < n && !d->user.keep_private ? (ssize_t)d->last : -1;
}

/* May the owner give an entry now? It may if the WRITE of the last given stack is complete, and if this worker's writes
 * to global memory are visible. */
static bool is_ready(struct uat_deque *d)
{
    if (!has_left(uat_mail_of(d)))
        return false;
    return !d->user.unreleased || !*d->user.unreleased || d->user.before_publication();
}

/* Let the spawner of entry i part from its child, and give the entry to the thief. False if no record is free. */
static bool give_entry(struct uat_deque *d, size_t i, int thief)
{
    uintptr_t sp = d->entries[i], base = uat_deque_entry_base(d, i);
    if (!d->user.part(d->user.context, sp)) {
        d->count.records_missing++;
        return false;
    }
    d->entries[i] |= UAT_TAG_GONE;
    give(uat_mail_of(d), thief, sp, base);
    return true;
}

/* Answer the request: give entry i, or refuse if i is -1. */
static void answer(struct uat_deque *d, uint64_t ask, ssize_t i)
{
    if (!uat_mail_decide(uat_mail_of(d), ask))
        return;
    if (i < 0 || !give_entry(d, (size_t)i, uat_ask_rank(ask)))
        refuse(uat_mail_of(d), uat_ask_rank(ask));
    if (find_oldest(d) < 0)
        show_offer(uat_mail_of(d), 0);
}

void uat_mail_look(struct uat_deque *d, enum uat_mail_moment moment)
{
    struct uat_mail *mail = uat_mail_of(d);
    uint64_t ask = load_ask(mail);
    ssize_t i = find_oldest(d);
    bool waits = is_asked(mail, ask); /* false once this call has answered the request */
    bool soon = waits && i >= 0 && !is_ready(d);
    if (waits && !soon && (i >= 0 || moment == UAT_MAIL_PUSH)) {
        answer(d, ask, i);
        waits = false;
        i = find_oldest(d);
    }
    if (i >= 0)
        show_offer(mail, d->entries[i]);
    /* A push adds an entry to offer. So every push must call this function while a request waits or nothing is
     * offered. */
    d->pop_claims = soon ? NEVER : ask;
    d->push_claims = waits || mail->shown == 0 ? NEVER : ask;
}

static void pushed(struct uat_deque *d)
{
    uat_mail_look(d, UAT_MAIL_PUSH);
}

static void popped(struct uat_deque *d, bool is_gone)
{
    if (is_gone)
        uat_mail_settle(uat_mail_of(d));
    uat_mail_look(d, UAT_MAIL_POP);
}

static void refuse_asker(struct uat_deque *d)
{
    uat_mail_refuse(uat_mail_of(d));
}

void uat_mail_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport, struct uat_mailbox *box,
                   struct uat_mail_landing *landing)
{
    *mail = (struct uat_mail){.transport = transport, .deque = d, .box = box, .landing = landing, .sent.done = true};
    mail->giver =
        (struct uat_deque_giver){.look = &box->front.ask, .pushed = pushed, .popped = popped, .refuse = refuse_asker};
    d->giver = &mail->giver;
}
