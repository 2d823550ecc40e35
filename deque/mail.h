/* SPDX-License-Identifier: MIT */
/*
 * The message protocol on the victim's side. A worker looks for a thief's request when it spawns, when a task ends, in
 * uat_work_wanted(), and while it has no work itself. It gives its oldest continuation, or refuses. mailbox.h lists the
 * invariants.
 *
 * Nothing is published: an entry is PRIVATE until it is given, and GONE from then on. The request itself is the deque's
 * look word, so a push or pop without a request costs no more than one without thieves.
 */
#ifndef UAT_MAIL_H
#define UAT_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/mailbox.h"
#include "deque/owner.h"
#include "transport/colour.h"
#include "transport/transport.h"

struct uat_mail_counts {
    uint64_t refused, dropped; /* dropped: requests that were withdrawn while the owner decided them */
};

/* The places in the segment where this worker's operations land. Only its own CPU and HCA use them. */
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
    struct uat_pending sent; /* the WRITE of the last stack that was given (M7) */
    uint64_t decided;        /* number of the last request that was decided */
    uint64_t shown;          /* the value last stored to the mailbox's offer; it may still be in the store buffer */
    void (*failed)(int rc);  /* called when the transport has failed and reported it; does not return. May be NULL */
    struct uat_mail_counts count;
};

/* Switch the open deque d to the message protocol: from now on d answers requests and publishes nothing. box must be
 * zeroed. box and landing lie in the segment. The caller keeps ownership of all of them, and mail must live as long as
 * d. */
void uat_mail_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport, struct uat_mailbox *box,
                   struct uat_mail_landing *landing);

/* When the owner looks for a request. */
enum uat_mail_moment {
    UAT_MAIL_PUSH, /* after a push: a worker with nothing to give refuses */
    UAT_MAIL_POP,  /* after a pop: a worker with nothing to give lets the request wait for the next push */
};

/* The mailbox of worker `rank`. */
static inline struct uat_mailbox *uat_mail_box(const struct uat_mail *mail, int rank)
{
    return uat_coloured_of(mail->box, mail->colours, mail->transport->rank, rank);
}

/* Look for a request and answer it. Sets the deque's triggers, push_claims and pop_claims. */
void uat_mail_look(struct uat_deque *d, enum uat_mail_moment moment);

/* Refuse a request if there is one. A worker calls this if it has no work, or if it waits where it cannot give any. */
void uat_mail_refuse(struct uat_mail *mail);

/* Wait until the last stack that was given has been written out (M7). */
void uat_mail_settle(struct uat_mail *mail);

#endif
