/* SPDX-License-Identifier: MIT */
/* The state of a worker while all have stopped: its chain, its lent records and blocks, its counters. */
#ifndef UAT_CHECKPOINT_STATE_H
#define UAT_CHECKPOINT_STATE_H

#include <stdbool.h>

#include "deque/chain.h"
#include "runtime/segment/sections.h"
#include "runtime/segment/ghost.h"

/* Functions that kept.c also uses for ghosts. The first function writes a chain and the bytes of its stacks to the
 * file. The second adds the counters of a section to this worker's. The third takes a chain's entries from a section.
 * The fourth sets the chain's sp if the section is the chain's stack. The fifth gives a section of the file of `rank`
 * to the room that saved it. The last four functions return whether the section is sound. */
void uat_state_save_chain(struct uat_sections_out *out, const struct uat_chain *chain, const void *stack);
bool uat_state_add_counts(const struct uat_section *section);
bool uat_state_take_chain(const struct uat_section *section, struct uat_chain *chain);
bool uat_state_has_stack(const struct uat_section *section, struct uat_chain *chain);
bool uat_state_restore_room(int rank, const struct uat_section *section);

/* Set *used to what this worker uses of its join records and its heap. */
void uat_state_used(struct uat_used *used);

/* Append this worker's state. */
void uat_state_save(struct uat_sections_out *out, const struct uat_chain *chain);

/*
 * Restore the file's contents to the addresses where they were. Every address and size is checked. Afterwards the
 * chain's entries are allocated, and its stacks are in place. Returns 0, or a negative errno that has been reported.
 */
int uat_state_restore(struct uat_sections_in *in, struct uat_chain *chain);

/* Add the names of channels in this worker's blocks to the lists of names. All workers must have restored their
 * blocks. */
void uat_state_add_names(void);

#endif
