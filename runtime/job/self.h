/* SPDX-License-Identifier: MIT */
/* Facts about this worker. They are set while the job starts and ends, and in a forked child. */
#ifndef UAT_SELF_H
#define UAT_SELF_H

#include "base/kernel.h"
#include "transport/transport.h"

struct uat_self {
    int rank, size;                  /* they are 0 and 1 before uat_init() */
    struct uat_transport *transport; /* NULL while there is no job */
    /* This worker's evacuation heap as names (rank << 48 | address): near_size bytes from near_first on. near_size is 0
     * if the CPU is not the adapter, or there is no job. Set by uat_park_open(). */
    uint64_t near_first, near_size;
    uint64_t restarts; /* how many times the job was restarted from a checkpoint */
    /* Raised by a restart, and by a way back to a copy of the run (runtime/checkpoint/copy.h); equal on all workers. */
    uint64_t epoch;
};

extern struct uat_self uat_self UAT_KERNEL_OBJECT;

#endif
