/* SPDX-License-Identifier: MIT */
#ifndef UAT_GATHER_H
#define UAT_GATHER_H

#include <stdint.h>

struct uat_gathered {
    uint64_t sum, least, most;
};

/* Compute the sum, minimum and maximum of one number per worker. Collective, outside uat_run(). Returns 0 or a negative
 * errno. */
int uat_gather(uint64_t own, struct uat_gathered *gathered);

#endif
