/* SPDX-License-Identifier: MIT */
/* The time of spawn and join for several sizes of data that travels by value. */
#ifndef UAT_SPAWN_SIZES_H
#define UAT_SPAWN_SIZES_H

#include <stdint.h>

/* Time `batches` batches of each size. Collective, on one worker. Returns 0 or a negative errno; -EPROTO for a wrong
 * result. */
int uat_spawn_sizes_measure(int64_t batches);

/* Add the rows to the report, and free them. */
void uat_spawn_sizes_report(double tsc_hz);

#endif
