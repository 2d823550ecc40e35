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
 * Put the sections' contents to the addresses where they were, on a worker that has no record and no block. Every
 * address and size is checked. Afterwards the chain's entries are allocated, and its stacks are in place.
 * uat_state_restore() first frees the blocks of objects that main() has made, and checks that it has made them again.
 * Both return 0, or a negative errno that has been reported.
 */
int uat_state_put(struct uat_sections_in *in, struct uat_chain *chain);
int uat_state_restore(struct uat_sections_in *in, struct uat_chain *chain);

/* Agree with all workers, which have stopped, on whether the state of every room can be saved. Returns 0, or the place
 * in the table of rooms, counted from 1, of a room that is busy. *word becomes rank 0's. */
int uat_state_obstacle(uint64_t *word);

/* Add the names of channels in this worker's blocks to the lists of names. All workers must have restored their
 * blocks. */
void uat_state_add_names(void);

#endif
