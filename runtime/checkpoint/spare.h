/* SPDX-License-Identifier: MIT */
/* The spare process of a worker: see survive.h. */
#ifndef UAT_SPARE_H
#define UAT_SPARE_H

#include <stdbool.h>

#include "base/survival.h"

/* Begin to fork a spare process of this worker. Rank 0 gets none, because its loss cannot be survived. Returns false in
 * the worker. Returns true in the spare process once it takes the rank over; it has then begun to fork a spare process
 * of its own. */
bool uat_spare_make(struct uat_survival *words);

/* Wait until the fork is complete. If it failed, warns: a loss of this rank is not survived. */
void uat_spare_await(struct uat_survival *words);

/* The run is over: let this rank's spare process end. */
void uat_spare_dismiss(struct uat_survival *words);

#endif
