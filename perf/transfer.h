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
    int window;                 /* operations under way */
    double nanoseconds, cycles; /* of one operation: the median */
    double least;               /* cycles of the shortest one, or of the best series */
    double mib_per_second;      /* 0: it took no time that could be measured, or moves no data */
};

/* By all ranks: run a loop that spawns and joins `count` children, each of which writes 8 bytes of array, which has
 * chunk bytes at each rank. 0 or a negative errno. */
int transfer_flat_loop(char *array, size_t chunk, int64_t count, bool far);

/* Print the table, or the same as JSON. 0 or a negative errno. */
int transfer_report(const struct uat_bench *bench, const struct uat_bench_settings *settings,
                    const struct transfer_row *rows, int count);

extern const struct uat_plot transfer_plot; /* what --plot draws */

#endif
