/* SPDX-License-Identifier: MIT */
/* This worker as a thief: the protocol that the job uses, and whom it steals from. */
#ifndef UAT_STEAL_H
#define UAT_STEAL_H

#include "base/options.h"
#include "deque/ready.h"
#include "deque/thief.h"

/* Begin, over uat_self.transport; after uat_segment_open(). 0 or a negative errno, reported. */
int uat_steal_open(const struct uat_options *options);
void uat_steal_close(void);

/*
 * Try once, with victims of uat_victims_choose(). Returns enum uat_steal, or a negative errno that has been reported.
 */
int uat_steal_try(struct uat_stolen *stolen);

/* The same, from these victims. */
int uat_steal_from(const struct uat_victims *victims, struct uat_stolen *stolen);

/* Try once to take a ready task of victims of uat_victims_choose(): see uat_ready_steal(). */
int uat_steal_ready(struct uat_ready *ready, struct uat_ready_task *task, bool *fetched, unsigned *trips);

const struct uat_thief_counts *uat_steal_counts(void);

/* What the successful steals have posted. */
struct uat_steal_traffic {
    uint64_t ops[UAT_OP_KINDS], requests[UAT_OP_KINDS]; /* operations; of them, requests to an adapter */
    uint64_t doorbells;
};
const struct uat_steal_traffic *uat_steal_traffic(void);

#endif
