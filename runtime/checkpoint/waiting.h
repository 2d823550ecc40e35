/* SPDX-License-Identifier: MIT */
/* Waiting tasks in a checkpoint. Their stacks, and the objects that they wait for, are blocks of the evacuation heap.
 * The functions of state.h save these blocks. The functions below save the ready tasks and the number of tasks that
 * wait. */
#ifndef UAT_CHECKPOINT_WAITING_H
#define UAT_CHECKPOINT_WAITING_H

#include <stdbool.h>

#include "runtime/checkpoint/sections.h"

/* Append this worker's ready tasks and counts. Ends the job if there is no memory. */
void uat_waiting_save(struct uat_sections_out *out);

/* Take over the contents of a section that uat_waiting_save() wrote for this worker or for a ghost. Returns whether the
 * section is sound. */
bool uat_waiting_restore(const struct uat_section *section);

#endif
