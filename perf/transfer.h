/* SPDX-License-Identifier: MIT */
/* The parts of uat-transfer. */
#ifndef UAT_PERF_TRANSFER_H
#define UAT_PERF_TRANSFER_H

#include "perf/bench.h"

enum { TRANSFER_ROWS_MAX = 256 };

/* One line of the report. */
struct transfer_row {
    const char *name;
    bool far;
    size_t bytes;
    int window;                 /* operations in flight */
    double nanoseconds, cycles; /* the median time of one operation */
    double least;               /* cycles of the shortest operation, or of the best series */
    double mib_per_second;      /* 0: the time was too short to measure, or the operation moves no data */
};

/* Run a loop that spawns and joins `count` children. Each child writes 8 bytes of `array`. The array has `chunk` bytes
 * at each rank. Collective. Returns 0 or a negative errno. */
int transfer_flat_loop(char *array, size_t chunk, int64_t count, bool far);

#endif
