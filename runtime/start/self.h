/* SPDX-License-Identifier: MIT */
/* Rank of this worker, number of workers, and the transport that reaches them. Set by uat_init() and what it calls
 * alone. */
#ifndef UAT_SELF_H
#define UAT_SELF_H

#include "transport/transport.h"

struct uat_self {
    int rank, size;                  /* before uat_init(): 0 and 1 */
    struct uat_transport *transport; /* NULL: there is no job now */
    /* Names (rank << 48 | address) of this worker's evacuation heap, if the CPU is its adapter; else none: [near_first,
     * + near_size). Set by uat_park_open(). */
    uint64_t near_first, near_size;
};

extern struct uat_self uat_self __attribute__((visibility("hidden")));

#endif
