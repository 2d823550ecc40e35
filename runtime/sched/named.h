/* SPDX-License-Identifier: MIT */
/* Operations on the blocks and records of a rank. If the rank is a ghost (runtime/segment/ghost.h), the operations go
 * to the ghost's keeper. The caller passes the addresses that the names hold. */
#ifndef UAT_NAMED_H
#define UAT_NAMED_H

#include <stdint.h>

#include "transport/transport.h"

/* Reserve the mark of uat_park_give_back() in the segment. */
void uat_named_reserve(void);

/* As uat_transport_do(), uat_transport_post() and uat_transport_post_unsignaled(), but a failure ends the job. */
void uat_named_do(int rank, const struct uat_op *ops, int n);
void uat_named_post(int rank, const struct uat_op *ops, int n, struct uat_pending *pending);
void uat_named_post_unsignaled(int rank, const struct uat_op *ops, int n);

/* Mark a record or a block as returned. All READs of it must be complete. Its owner finds the mark in
 * uat_lent_collect(). */
void uat_park_give_back(int rank, uint64_t *returned);

#endif
