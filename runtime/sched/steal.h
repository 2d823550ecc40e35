/* SPDX-License-Identifier: MIT */
/* This worker as a thief: the job's steal protocol and the choice of victims. */
#ifndef UAT_STEAL_H
#define UAT_STEAL_H

#include "deque/ready.h"
#include "deque/thief.h"
#include "transport/transport.h"

/* The protocols, by enum uat_deque_protocol. papers/ adds its rows before main() starts. */
extern struct uat_protocol uat_protocols[UAT_DEQUE_PROTOCOLS];

/* Choose the protocol that UAT_DEQUE names. Returns 0, or -ENOTSUP, which has been reported, if this program does not
 * link the protocol. Call it before the other functions. */
int uat_steal_choose(void);

/* Reserve the deque's ring and mailbox and the thief's landing places in the segment. */
void uat_steal_reserve(void);

/* This worker's ring; after uat_segment_open(). */
struct uat_ring *uat_steal_ring(void);

/* Prepare the thief, with uat_self.transport; call it after uat_segment_open(). Returns 0, or a negative errno that has
 * been reported. */
int uat_steal_open(void);
void uat_steal_close(void);

/* Bring the thief, this worker's deque and its mailbox back to the state after the start. */
void uat_steal_reset(void);

/*
 * Try to steal once from victims that uat_victims_choose() chooses. Returns enum uat_steal, or a negative errno that
 * has been reported.
 */
int uat_steal_try(struct uat_stolen *stolen);

/* Try to steal once from these victims. */
int uat_steal_from(const struct uat_victims *victims, struct uat_stolen *stolen);

/* Make a worker take its slow path soon: see uat_poke_fn. */
int uat_steal_poke(int rank);

/* Try once to take a ready task from victims that uat_victims_choose() chooses: see uat_ready_steal(). */
int uat_steal_ready(struct uat_ready *ready, struct uat_ready_task *task, bool *fetched, unsigned *trips);

const struct uat_thief_counts *uat_steal_counts(void);

/* The operations that successful steals have posted. */
struct uat_steal_traffic {
    uint64_t ops[UAT_OP_KINDS], requests[UAT_OP_KINDS]; /* operations, and the adapter requests among them */
    uint64_t doorbells;
};
const struct uat_steal_traffic *uat_steal_traffic(void);

/* The victims that an idle worker looks at: random ones, several at once. */

/* Find out from the peers' published addresses whether all peers are on this host. host: this host's name. */
void uat_victims_open(const struct uat_endpoint *peers, const char *host);

/* Choose the random victims anew, from the first one on. */
void uat_victims_reset(void);

/* Choose up to UAT_PEEKS different victims. There must be another worker. */
void uat_victims_choose(struct uat_victims *victims);

#endif
