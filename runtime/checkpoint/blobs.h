/* SPDX-License-Identifier: MIT */
/* What the functions of uat_checkpoint_register() save and restore. */
#ifndef UAT_CHECKPOINT_BLOBS_H
#define UAT_CHECKPOINT_BLOBS_H

#include <stdbool.h>

#include "runtime/segment/sections.h"

/* Call the functions that save, and append the bytes that they return. Does nothing for a ghost. */
void uat_blobs_save(struct uat_sections_out *out, int rank);

/* Copy the bytes that `rank` saved, and keep the copy until uat_blobs_give(). rank: this worker or a ghost. Returns
 * false if there is no memory, or if main() has not repeated the call of uat_checkpoint_register() whose function saved
 * the bytes. */
bool uat_blobs_take(int rank, const struct uat_section *section);

/* Call the functions that restore, once for each copy. */
void uat_blobs_give(void);

/* Forget all calls. */
void uat_blobs_free(void);

#endif
