/* SPDX-License-Identifier: MIT */
/* The events of a timeline. */
#ifndef UAT_EVENT_H
#define UAT_EVENT_H

#include <stdint.h>

#include "deque/phase.h"

/* The kinds of events: the phases of deque/phase.h, and these. */
enum uat_trace_kind {
    UAT_TRACE_RUN = UAT_PHASES, /* a task runs */
    UAT_TRACE_STEAL,            /* a steal that succeeded; detail: bytes */
    UAT_TRACE_IDLE,             /* nothing to run; detail: steals that failed */
    UAT_TRACE_END,              /* a task has ended away from its spawner */
    UAT_TRACE_JOIN,             /* the joiner of a parted child did not have to wait */
    UAT_TRACE_WAIT,             /* a joiner had to wait, and has left this worker */
    UAT_TRACE_EVACUATE,         /* a stack goes to the heap; detail: bytes */
    UAT_TRACE_RESUME,           /* a waiting joiner comes back; detail: bytes */
    UAT_TRACE_MISS,             /* far memory is fetched for a checkout; detail: bytes checked out */
    UAT_TRACE_RELEASE,          /* written parts are written back to their homes */
    UAT_TRACE_FLOW_SPAWN,       /* a flow's unroller makes an entry; detail, here and in READY, BEGIN, END: its name */
    UAT_TRACE_FLOW_ROOM,        /* the unroller continues after a wait for room in the window; an instant */
    UAT_TRACE_FLOW_READY,       /* the end of another entry has made this entry ready; an instant within FLOW_END */
    UAT_TRACE_FLOW_BEGIN,       /* the body of an entry begins; an instant */
    UAT_TRACE_FLOW_END,         /* an entry ends, and notifies its successors */
    UAT_TRACE_KINDS
};

struct uat_trace_event {
    uint64_t begin, end; /* start and end, by the time-stamp counter */
    uint64_t detail;
    uint32_t kind;
    int32_t peer; /* the other worker, or -1 */
};

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
