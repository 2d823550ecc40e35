/* SPDX-License-Identifier: MIT */
/* Parts: how an idle worker takes one, and how a part runs. */
#ifndef UAT_ADAPTIVE_PART_H
#define UAT_ADAPTIVE_PART_H

#include "runtime/adaptive/cell.h"

/* Let the scheduler look for parts. Call this after uat_flow_open(). */
void uat_part_open(void);

/* May this worker take work from others? See uat_set_concurrency(). */
bool uat_concurrency_takes(void);

#endif
