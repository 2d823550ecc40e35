/* SPDX-License-Identifier: MIT */
/* What this worker keeps of ghosts (runtime/segment/ghost.h). A ghost's lent records and blocks are kept until they
 * come back. A ghost's chain is kept until this worker begins the chain. */
#ifndef UAT_CHECKPOINT_KEPT_H
#define UAT_CHECKPOINT_KEPT_H

#include <stdbool.h>

#include "deque/chain.h"
#include "runtime/segment/sections.h"
#include "runtime/segment/ghost.h"

/* Keep what the file of ghost `rank` has; this worker must be the ghost's keeper. Returns 0, or a negative errno that
 * has been reported. */
int uat_kept_restore(int rank, struct uat_sections_in *in);

/* Do what uat_state_add_names() does, for the blocks of ghosts. */
void uat_kept_add_names(void);

/* Raise *used so that it covers the kept records and blocks of each ghost. */
void uat_kept_used(struct uat_used *used);

/* Append what is left of ghost `rank`. */
void uat_kept_save(struct uat_sections_out *out, int rank);

/* For uat_chains_set(). uat_kept_any() returns whether a chain is left. uat_kept_next() returns the next chain, with
 * its stacks in place; the chain is valid until the next call. */
bool uat_kept_any(void);
const struct uat_chain *uat_kept_next(void);

void uat_kept_free(void);

#endif
