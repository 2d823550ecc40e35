/* SPDX-License-Identifier: MIT */
/*
 * The papers' steal, for comparisons, as two protocols of deque/thief.h:
 *
 * paper  peek; FETCH_ADD(lock, 1); READ ring; WRITE claims; READ slot; READ stack; WRITE ack: one round trip each.
 * paper-message  as paper, but a request as under message replaces the lock; the victim grants or refuses it: grant.h.
 */
#ifndef UAT_THIEF_PAPER_H
#define UAT_THIEF_PAPER_H

#include "deque/thief.h"

uat_steal_fn uat_paper_steal, uat_paper_message_steal;

/* As uat_claim_poke(). The paper-message protocol uses uat_message_poke(). */
uat_poke_fn uat_paper_poke;

#endif
