/* SPDX-License-Identifier: MIT */
/*
 * Timelines (UAT_TRACE=FILE): the activity of each worker, as a file for Perfetto and chrome://tracing. A worker
 * keeps its newest events in private memory; uat_finalize() merges the events of all workers. A timeline that is off
 * costs one predictable branch, on slow paths only.
 */
#ifndef UAT_TRACE_H
#define UAT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/virtual.h"
#include "runtime/trace/event.h"

extern bool uat_trace_on;

/* Was the program built for profiles? libuat_profile.a sets this word before main(). */
extern bool uat_profile_linked;

/* Start a timeline if the setting names a file, which rank 0 will write. host: the name of this worker's host, valid
 * until uat_trace_close(). Collective. Returns 0, or a negative errno that has been reported. */
int uat_trace_open(const char *host);

/* Merge and write the timeline. Collective, outside of a run. Returns 0, or a negative errno that has been reported.
 * After an error rank 0 leaves no file. */
int uat_trace_write(void);

/* Drop the timeline. Local. */
void uat_trace_close(void);

/* Drop all events. The timeline's start stays. Local, outside of a run. */
void uat_trace_reset(void);

void uat_trace_record(enum uat_trace_kind kind, uint64_t begin, uint64_t end, uint64_t detail, int peer);

/* End an attempt to steal that started at `begin`. */
void uat_trace_attempt_done(uint64_t begin, bool success, int victim, uint64_t bytes);

/* Note that no more attempts follow in this run. */
void uat_trace_attempts_over(void);

static inline uint64_t uat_trace_begin(void)
{
    return __builtin_expect(uat_trace_on, 0) ? uat_counter() : 0;
}

static inline void uat_trace_end(enum uat_trace_kind kind, uint64_t begin, uint64_t detail, int peer)
{
    if (__builtin_expect(uat_trace_on, 0))
        uat_trace_record(kind, begin, uat_counter(), detail, peer);
}

static inline void uat_trace_attempt(uint64_t begin, bool success, int victim, uint64_t bytes)
{
    if (__builtin_expect(uat_trace_on, 0))
        uat_trace_attempt_done(begin, success, victim, bytes);
}

#endif
