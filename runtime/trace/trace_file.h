/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRACE_FILE_H
#define UAT_TRACE_FILE_H

#include <stdint.h>

#include "runtime/trace/event.h"

struct uat_trace_file {
    const char *name;     /* name of the file, on rank 0 */
    const char *host;     /* name of this worker's host */
    uint64_t room;        /* maximum number of events of a worker; equal on all workers */
    double cycles_per_us; /* converts the events' times, on rank 0 */
};

/*
 * Bring the events of all workers to rank 0, which writes them in the format of Chrome's trace viewer. events: `count`
 * events, oldest first, in rank 0's time since the trace began. dropped: the number of older events that were lost.
 * Collective, outside of a run. Returns 0, or a negative errno that has been reported. After an error there is no file.
 */
int uat_trace_file_write(const struct uat_trace_file *file, const struct uat_trace_event *events, uint64_t count,
                         uint64_t dropped);

#endif
