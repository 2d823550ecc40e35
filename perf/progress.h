/* SPDX-License-Identifier: MIT */
/*
 * One line on the terminal of rank 0 that says how a job goes: time, tasks, steals, and the share of the time in which
 * workers look for work. A thread in each process reads the worker's counters 40 times a second and sends them to rank
 * 0 four times a second, as a datagram of 48 bytes; the worker itself does nothing for it. A lost datagram does no
 * harm: the next one has the sums, too.
 */
#ifndef UAT_PROGRESS_H
#define UAT_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* What a worker says, and what rank 0 knows of it: sums since the start. */
struct uat_progress_news {
    uint64_t token; /* of the job: others are not listened to */
    uint64_t rank;
    uint64_t tasks, steals;
    uint64_t looks, idle; /* looks at the worker inside of runs; of these: it had no task */
};

/*
 * Collective, between uat_init() and the first run: begin, if the standard error of rank 0 is a terminal and time is
 * real. What goes wrong with sockets or threads only means that nothing is shown.
 */
void uat_progress_begin(const char *program);

/* Local: end, and remove the line. */
void uat_progress_end(void);

/* The line, without its end, for a terminal of `columns`. last: as it was `seconds` ago; NULL at first. */
struct uat_progress_sum {
    int workers, heard; /* all; those with news */
    double seconds;     /* since the start */
    uint64_t tasks, steals, looks, idle;
};
void uat_progress_line(const char *program, const struct uat_progress_sum *sum, const struct uat_progress_sum *last,
                       char *line, size_t size);

#endif
