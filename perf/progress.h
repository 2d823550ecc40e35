/* SPDX-License-Identifier: MIT */
/*
 * A line on rank 0's terminal that shows a job's progress: time, tasks, steals, and the share of time that workers
 * spend looking for work. A thread in each process reads the worker's counters 40 times a second. It sends them to rank
 * 0 four times a second, in a datagram of 48 bytes. The worker's own thread is not involved. A lost datagram does no
 * harm, because the next one contains the sums as well.
 */
#ifndef UAT_PROGRESS_H
#define UAT_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* A worker's message to rank 0: sums since the start. */
struct uat_progress_news {
    uint64_t token; /* identifies the job; messages of other jobs are ignored */
    uint64_t rank;
    uint64_t tasks, steals;
    uint64_t looks, idle; /* looks: number of looks at the worker during runs; idle: looks that found no task */
};

/*
 * If rank 0's standard error is a terminal and time is real, start showing the line. Collective, between uat_init() and
 * the first run. If a socket or a thread cannot be made, nothing is shown.
 */
void uat_progress_begin(const char *program);

/* Stop, and remove the line. Local. */
void uat_progress_end(void);

struct uat_progress_sum {
    int workers, heard; /* workers: number of workers; heard: of these, the workers that have sent news */
    double seconds;     /* since the start */
    uint64_t tasks, steals, looks, idle;
};
/* Write the line to `line`, without a newline. The caller cuts the line to the terminal's width. last: the previous
 * sums; NULL in the first call. */
void uat_progress_line(const char *program, const struct uat_progress_sum *sum, const struct uat_progress_sum *last,
                       char *line, size_t size);

#endif
