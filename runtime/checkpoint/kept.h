/* SPDX-License-Identifier: MIT */
/* What this worker keeps of ghosts (runtime/segment/ghost.h): their lent records and blocks until these come back, and
 * their chains until it begins them. */
#ifndef UAT_CHECKPOINT_KEPT_H
#define UAT_CHECKPOINT_KEPT_H

#include <stdbool.h>

#include "deque/chain.h"
#include "runtime/checkpoint/sections.h"

/* Keep what the file of ghost `rank` has; its keeper must be this worker. Returns 0 or a negative errno, reported. */
int uat_kept_restore(int rank, struct uat_sections_in *in);

/* As uat_state_add_names(), for the blocks of ghosts. */
void uat_kept_add_names(void);

/* Append what is left of ghost `rank`. */
void uat_kept_save(struct uat_sections_out *out, int rank);

/* Is a chain left? The next one, with its stacks in place; it stays valid until the next call. For
 * uat_chains_set(). */
bool uat_kept_any(void);
const struct uat_chain *uat_kept_next(void);

void uat_kept_free(void);

#endif
