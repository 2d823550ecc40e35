/* SPDX-License-Identifier: MIT */
/* Parts: how an idle worker takes one, and how a part runs. */
#ifndef UAT_ADAPTIVE_PART_H
#define UAT_ADAPTIVE_PART_H

#include "runtime/adaptive/cell.h"
#include "runtime/sched/alone.h"

/* Forget whether looks at other workers have found intervals. */
void uat_part_look_anew(void);

/* How an idle worker takes a part: `work` of this room's descriptor. */
extern const struct uat_work uat_part_work __attribute__((visibility("hidden")));

#endif
