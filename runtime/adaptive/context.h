/* SPDX-License-Identifier: MIT */
/* Contexts: the owner's side of an interval. */
#ifndef UAT_ADAPTIVE_CONTEXT_H
#define UAT_ADAPTIVE_CONTEXT_H

#include "runtime/adaptive/cell.h"

/* Open the interval [begin, end) in the cell part->own. begin and end are in units. The cell's word is part->own_word.
 * `part` lies in the frame of the calling task. */
void uat_context_open(uat_context_t *c, const struct uat_part *part, uint64_t begin, uint64_t end);

/* Drop the iterations that are left, and the parts that were not merged. Returns the cell's word. */
void uat_context_end(uat_context_t *c);

#endif
