/* SPDX-License-Identifier: MIT */
/* Waiting tasks in a checkpoint: `save` and `restore` of the scheduler's descriptor. The stacks of waiting tasks, and
 * the objects that they wait for, are blocks of the evacuation heap, which runtime/checkpoint/state.c saves. The
 * functions below save the ready tasks, the sleeping tasks, and the number of tasks that wait. */
#ifndef UAT_WAITING_H
#define UAT_WAITING_H

#include <stdbool.h>

#include "runtime/segment/sections.h"

enum { UAT_WAITING_SECTIONS = 1 << UAT_SECTION_READY | 1 << UAT_SECTION_WAITS | 1 << UAT_SECTION_SLEEP };

void uat_waiting_save(struct uat_sections_out *out, int rank);
bool uat_waiting_restore(int rank, const struct uat_section *section);

#endif
