/* SPDX-License-Identifier: MIT */
#include "papers/grant.h"

/* The look word never has this value, because requests are numbered from 0. */
#define NEVER UINT64_MAX

/* Is the last granted index not acknowledged yet? Acquire: orders the acknowledgement before the load of claims in
 * offered() (P6). Pairs with the WRITE of uat_thief_acknowledgement(): the thief posts it after its WRITE of claims has
 * completed. */
static bool is_held(const struct uat_mail *mail)
{
    const struct uat_ring *ring = mail->deque->ring;
    return mail->has_granted &&
           !uat_ack_for(uat_cpu_load_acquire(&ring->ack[uat_slot_of(mail->granted)]), mail->granted);
}

/* Is an entry published under the next index to claim? Sets *index to that index. */
static bool offered(const struct uat_deque *d, uint64_t *index)
{
    /* Relaxed: no grant is open, so no thief WRITEs claims now. is_held() has ordered the last WRITE of claims before
     * this load. */
    *index = __atomic_load_n(&d->ring->claims, __ATOMIC_RELAXED);
    return d->published > 0 && d->index[d->first] == *index;
}

/* Answer the request (P4). Returns false if `moment` is a pop and there is nothing to grant. The request then remains
 * for the next push. */
static bool answer(struct uat_mail *mail, uint64_t ask, enum uat_mail_moment moment)
{
    uint64_t index;
    bool free = !is_held(mail) && offered(mail->deque, &index);
    if (!free && moment == UAT_MAIL_POP)
        return false;
    if (!uat_mail_decide(mail, ask))
        return true;
    if (free) {
        mail->has_granted = true;
        mail->granted = index;
        mail->count.granted++;
    }
    uat_mail_answer(mail, uat_ask_rank(ask), free ? UAT_ANSWER_GIVEN : UAT_ANSWER_REFUSED);
    return true;
}

/* Publish entries, then answer the pending request, if there is one. */
static void look(struct uat_deque *d, enum uat_mail_moment moment)
{
    struct uat_mail *mail = uat_mail_of(d);
    uint64_t seen;
    uat_deque_fill(d);
    uint64_t ask = uat_mail_request(mail, &seen);
    bool waits = ask && !answer(mail, ask, moment);
    /* uat_deque_fill() has set both triggers to values of claims, but here the look word is the request, not claims.
     * While a grant is open, the thief may change claims unnoticed. So every push takes the slow path until the
     * acknowledgement arrives. */
    d->pop_claims = seen;
    d->push_claims = waits || d->push_claims == NEVER || is_held(mail) ? NEVER : seen;
}

static void pushed(struct uat_deque *d)
{
    look(d, UAT_MAIL_PUSH);
}

static void popped(struct uat_deque *d, bool is_gone)
{
    (void)is_gone;
    look(d, UAT_MAIL_POP);
}

static void refuse(struct uat_deque *d)
{
    uat_mail_refuse(uat_mail_of(d));
}

void uat_grant_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport,
                    struct uat_mailbox *box, struct uat_mail_landing *landing)
{
    uat_mail_open(mail, d, transport, box, landing);
    mail->giver = (struct uat_deque_giver){
        .look = &box->front.ask, .pushed = pushed, .popped = popped, .refuse = refuse, .grants = true};
}
