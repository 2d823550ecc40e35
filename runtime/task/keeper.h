/* SPDX-License-Identifier: MIT */
/* Operations on a rank's join records and evacuated stacks. They go to the keeper of that memory: the rank itself, or
 * the worker that keeps the memory of a ghost (runtime/segment/ghost.h). The caller passes the addresses that the names
 * hold. */
#ifndef UAT_KEEPER_H
#define UAT_KEEPER_H

#include <stdint.h>

#include "transport/transport.h"

/* Reserve the mark of uat_keeper_give_back() in the segment. */
void uat_keeper_reserve(void);

/* As uat_transport_do(), uat_transport_post() and uat_transport_post_unsignaled(), but a failure ends the job. */
void uat_keeper_do(int rank, const struct uat_op *ops, int n);
void uat_keeper_post(int rank, const struct uat_op *ops, int n, struct uat_pending *pending);
void uat_keeper_post_unsignaled(int rank, const struct uat_op *ops, int n);

/* Mark a record or a block as returned. All READs of it must be complete. Its owner finds the mark in
 * uat_lent_collect(). */
void uat_keeper_give_back(int rank, uint64_t *returned);

#endif
