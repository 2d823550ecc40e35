/* SPDX-License-Identifier: MIT */
/*
 * The message protocol on the victim's side: a worker looks for a thief's request when it spawns, when a task ends, in
 * uat_work_wanted(), and while it is without work itself. It gives its oldest continuation, or refuses. Invariants:
 * mailbox.h.
 *
 * Nothing is published: all entries are PRIVATE until they are given, and GONE from then on. The deque's look word is
 * the request, so that push and pop cost what they cost without thieves.
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
    uint64_t given, refused, dropped; /* dropped: requests withdrawn while the owner looked */
};

/* Where the own operations land, in the segment: the own CPU and the own HCA only. */
struct uat_mail_landing {
    uint64_t given; /* source of a WRITE */
    uint64_t old;   /* of the answer's FETCH_ADD */
};

struct uat_mail {
    struct uat_deque_giver giver;
    struct uat_transport *transport;
    struct uat_deque *deque;
    struct uat_mailbox *box; /* the own one */
    const uint8_t *colours;  /* of each worker; NULL: all 0 */
    struct uat_mail_landing *landing;
    struct uat_pending sent; /* the last continuation given: done once its stack has left (M7) */
    uint64_t decided;        /* number of the last request that was decided */
    uint64_t shown;          /* what box says as offer; it may still be in a store buffer */
    void (*failed)(int rc);  /* the transport has failed, and reported it: does not return. May be NULL */
    struct uat_mail_counts count;
};

/* Have the open deque d answer messages: from now on it publishes nothing. box: zeroed. box and landing lie in the
 * segment. All stay the caller's; mail must live as long as d. */
void uat_mail_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport, struct uat_mailbox *box,
                   struct uat_mail_landing *landing);

/* When the owner looks. */
enum uat_mail_moment {
    UAT_MAIL_PUSH, /* an entry has been pushed: who has nothing to give now refuses */
    UAT_MAIL_POP,  /* an entry has been popped: the next push may have something to give, so the request may wait */
};

/* Where the mailbox of this worker is. */
static inline struct uat_mailbox *uat_mail_box(const struct uat_mail *mail, int rank)
{
    return uat_coloured_of(mail->box, mail->colours, mail->transport->rank, rank);
}

/* Look for a request, and answer it. Sets the deque's triggers. */
void uat_mail_look(struct uat_deque *d, enum uat_mail_moment moment);

/* Refuse whoever asks: this worker has no work, or does not get to it. */
void uat_mail_refuse(struct uat_mail *mail);

/* Wait until the stack that was given last has left (M7). */
void uat_mail_settle(struct uat_mail *mail);

#endif
