/* SPDX-License-Identifier: MIT */
/*
 * The message protocol on the victim's side. A worker checks for a thief's request when it spawns, when a task ends,
 * when it calls uat_work_wanted(), while it has no work, and while it waits in place. Then the worker gives its oldest
 * continuation, or refuses. mailbox.h lists the invariants.
 *
 * Nothing is published: an entry is PRIVATE until it is given, and then GONE. The deque's look word is the request
 * itself. So while there is no request, a push or pop costs no more than without thieves.
 */
#ifndef UAT_MAIL_H
#define UAT_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/mailbox.h"
#include "deque/owner.h"
#include "transport/colour.h"
#include "transport/transport.h"

struct uat_mail_counts {
    uint64_t refused, dropped; /* dropped: requests that the thief withdrew while the owner was deciding them */
    uint64_t granted;          /* number of grants; a grant is the right to claim an entry: papers/grant.h */
};

/* Memory in the segment for this worker's operations. Only its own CPU and HCA use them. */
struct uat_mail_landing {
    uint64_t given; /* source of a WRITE */
    uint64_t old;   /* the old value that the answer's FETCH_ADD returns */
};

struct uat_mail {
    struct uat_deque_giver giver; /* must be first: d->giver points here */
    struct uat_transport *transport;
    struct uat_deque *deque;
    struct uat_mailbox *box; /* this worker's */
    const uint8_t *colours;  /* colour of each worker; NULL: all 0 */
    struct uat_mail_landing *landing;
    struct uat_pending sent; /* the WRITE of the last given stack (M7) */
    uint64_t decided;        /* number of the last request that was decided */
    bool has_granted;        /* `granted` is valid: see grant.h */
    uint64_t granted;        /* the index that was granted last */
    uint64_t shown;          /* the value that this CPU last stored to the mailbox's offer, perhaps not yet visible to
                             * peers */
    void (*failed)(int rc);  /* called after the transport has failed and reported the failure; does not return. May be
                              * NULL */
    struct uat_mail_counts count;
};

/* Switch the open deque d to the message protocol: from now on, d answers requests and publishes nothing. `box` must be
 * zeroed. `box` and `landing` must lie in the segment. The caller keeps ownership of all arguments. `mail` must live as
 * long as d. */
void uat_mail_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport, struct uat_mailbox *box,
                   struct uat_mail_landing *landing);

/* The moment at which the owner checks for a request. */
enum uat_mail_moment {
    UAT_MAIL_PUSH, /* after a push: a worker with nothing to give refuses */
    UAT_MAIL_POP,  /* after a pop: a worker with nothing to give lets the request wait for the next push */
};

/* The mailbox of worker `rank`. */
static inline struct uat_mailbox *uat_mail_box(const struct uat_mail *mail, int rank)
{
    return uat_coloured_of(mail->box, mail->colours, mail->transport->rank, rank);
}

/* The mail of a deque with a giver. */
static inline struct uat_mail *uat_mail_of(const struct uat_deque *d)
{
    return (struct uat_mail *)(uintptr_t)d->giver;
}

/* The undecided request, or 0. Sets *seen to the look word, even if the look word is not an undecided request. */
uint64_t uat_mail_request(const struct uat_mail *mail, uint64_t *seen);

/* Decide the request (M3). Returns false if the request was withdrawn. Otherwise the caller must answer it. */
bool uat_mail_decide(struct uat_mail *mail, uint64_t ask);

/* Answer the thief by a FETCH_ADD of `answer`. */
void uat_mail_answer(struct uat_mail *mail, int thief, uint64_t answer);

/* Check for a request and answer it. Sets the deque's triggers, push_claims and pop_claims. */
void uat_mail_look(struct uat_deque *d, enum uat_mail_moment moment);

/* Refuse the pending request, if there is one. A worker calls this function if it has no work, or if it waits at a
 * place where it cannot give work away. */
void uat_mail_refuse(struct uat_mail *mail);

/* Wait until the WRITE of the last given stack is complete (M7). */
void uat_mail_settle(struct uat_mail *mail);

#endif
