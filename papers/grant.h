/* SPDX-License-Identifier: MIT */
/*
 * The victim's side of the paper-message protocol. This is a variant of the protocol in JIP 24(3) 2016. Thieves get the
 * lock by messages; all other operations are one-sided. The owner publishes entries as owner.h describes. A thief asks
 * for the lock in the mailbox (mailbox.h, M1 to M4). When the owner checks for requests, it either grants the thief the
 * next index or refuses. A thief with a grant continues as under the paper protocol (thief_paper.c). Model:
 * tests/model/paper.pml with -DGRANTS, and message.pml.
 *
 *   P4  The owner grants index t only if claims is t, the entry with index t is published, and the last granted index
 *       is acknowledged. So at most one thief holds a grant.
 *   P5  A thief with a grant of t WRITEs claims := t + 1, and then acknowledges t. It does so even if the owner has
 *       meanwhile taken the entry back. No other thief WRITEs claims or an acknowledgement.
 *   P6  The WRITE of claims is complete before the acknowledgement is posted. So an owner that sees the acknowledgement
 *       of t sees t + 1 in claims.
 */
#ifndef UAT_GRANT_H
#define UAT_GRANT_H

#include "deque/mail.h"

/* uat_mail_open() for the paper-message protocol. */
void uat_grant_open(struct uat_mail *mail, struct uat_deque *d, struct uat_transport *transport,
                    struct uat_mailbox *box, struct uat_mail_landing *landing);

#endif
