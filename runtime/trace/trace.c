/* SPDX-License-Identifier: MIT */
#include "runtime/trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/output.h"
#include "base/virtual.h"
#include "runtime/job/self.h"
#include "runtime/trace/clock.h"
#include "runtime/trace/event.h"
#include "runtime/trace/settings.h"

enum { PHASES_MAX = 16 /* maximum number of phases of one attempt to steal */ };

bool uat_trace_on;
bool uat_profile_linked;

static struct {
    const char *file, *host;
    struct uat_trace_event *ring;             /* `room` events */
    uint64_t room, next;                      /* next: the ring's index for the next event */
    uint64_t count;                           /* events recorded, including those that were overwritten */
    struct uat_trace_event phase[PHASES_MAX]; /* phases of the current attempt: kept only if it succeeds */
    unsigned phases;
    uint64_t idle_begin, failures; /* start of the time without work, or 0; failed steals since that start */
    struct uat_clock first;
    uint64_t began; /* start of the timeline, in nanoseconds */
} trace;

static void add(const struct uat_trace_event *event)
{
    trace.ring[trace.next] = *event;
    trace.next = trace.next + 1 < trace.room ? trace.next + 1 : 0;
    trace.count++;
}

void uat_trace_record(enum uat_trace_kind kind, uint64_t begin, uint64_t end, uint64_t detail, int peer)
{
    struct uat_trace_event event = {.begin = begin, .end = end, .detail = detail, .kind = kind, .peer = peer};
    add(&event);
}

/* Note a phase of a steal. Of a thief's phases, only those of successful attempts are worth keeping, because an idle
 * worker makes millions of attempts. The owner's phases are always kept. */
static void note_phase(enum uat_phase phase, uint64_t begin, uint64_t end)
{
    struct uat_trace_event event = {.begin = begin, .end = end, .kind = phase, .peer = -1};
    if (phase == UAT_PHASE_AWAIT || phase == UAT_PHASE_GIVE)
        add(&event);
    else if (trace.phases < PHASES_MAX)
        trace.phase[trace.phases++] = event;
}

static void end_idle(uint64_t end)
{
    if (trace.idle_begin)
        uat_trace_record(UAT_TRACE_IDLE, trace.idle_begin, end, trace.failures, -1);
    trace.idle_begin = trace.failures = 0;
}

void uat_trace_attempt_done(uint64_t begin, bool success, int victim, uint64_t bytes)
{
    if (success) {
        end_idle(begin);
        uat_trace_record(UAT_TRACE_STEAL, begin, uat_counter_ordered(), bytes, victim);
        for (unsigned i = 0; i < trace.phases; i++)
            add(&trace.phase[i]);
    } else {
        if (!trace.idle_begin)
            trace.idle_begin = begin;
        trace.failures++;
    }
    trace.phases = 0;
}

void uat_trace_attempts_over(void)
{
    if (uat_trace_on)
        end_idle(uat_counter());
}

/* Can the file be written at the end? Check this at the start, because a failure at the end would lose the whole run's
 * events. The check creates nothing. */
static int check_file(const char *file)
{
    int rc = uat_output_check(file);
    if (rc)
        uat_error("UAT_TRACE=%s: cannot be written: %s", file, uat_output_error(rc));
    return rc;
}

int uat_trace_open(const char *host)
{
    const char *file = uat_trace_settings.file;
    if (uat_trace_settings.profile[0] && !uat_profile_linked) {
        if (uat_self.rank == 0)
            uat_error("this program cannot be profiled: compile it with `pkg-config --cflags uat-profile` and link it "
                      "with `pkg-config --libs uat-profile`");
        return -EINVAL;
    }
    if (!file[0])
        return 0;
    int rc = uat_self.rank == 0 ? check_file(file) : 0;
    if (rc)
        return rc;
    memset(&trace, 0, sizeof(trace));
    trace.file = file;
    trace.host = host;
    trace.room = uat_trace_settings.events;
    trace.ring = malloc(trace.room * sizeof(*trace.ring));
    if (!trace.ring) {
        uat_error("no memory for the %zu KiB of a timeline; unset UAT_TRACE", trace.room * sizeof(*trace.ring) >> 10);
        return -ENOMEM;
    }
    rc = uat_clock_compare(&trace.first);
    if (rc) {
        uat_trace_close();
        return rc;
    }
    trace.began = uat_clock_ns();
    uat_trace_on = true;
    uat_phase_hook = note_phase;
    return 0;
}

void uat_trace_reset(void)
{
    trace.next = trace.count = 0; /* outside of runs no attempt and no time without work is open */
    memset(trace.phase, 0, sizeof(trace.phase));
}

/* Cycles of rank 0's counter per microsecond; only rank 0's result is used. */
static double cycles_per_us(const struct uat_clock *last)
{
    double us = (double)(uat_clock_ns() - trace.began) * 1e-3;
    return us > 0 ? (double)(last->zero - trace.first.zero) / us : 1;
}

/* This worker's events, oldest first, with rank 0's times; NULL if there is no memory. The caller frees them. */
static struct uat_trace_event *in_order(const struct uat_clock *last, uint64_t kept)
{
    struct uat_trace_event *events = malloc((kept ? kept : 1) * sizeof(*events));
    for (uint64_t i = 0; events && i < kept; i++) {
        events[i] = trace.ring[(trace.count - kept + i) % trace.room];
        events[i].begin = uat_clock_map(&trace.first, last, events[i].begin) - trace.first.zero;
        events[i].end = uat_clock_map(&trace.first, last, events[i].end) - trace.first.zero;
    }
    return events;
}

int uat_trace_write(void)
{
    if (!uat_trace_on)
        return 0;
    uat_trace_on = false;
    uat_phase_hook = NULL;
    struct uat_clock last;
    int rc = uat_clock_compare(&last);
    if (!rc) {
        uint64_t kept = trace.count < trace.room ? trace.count : trace.room;
        struct uat_trace_file file = {
            .name = trace.file, .host = trace.host, .room = trace.room, .cycles_per_us = cycles_per_us(&last)};
        struct uat_trace_event *events = in_order(&last, kept);
        /* Without memory this worker has no events to write. It still takes part, because the write is collective. */
        rc = uat_trace_file_write(&file, events, events ? kept : 0, trace.count - (events ? kept : 0));
        free(events);
    }
    return rc;
}

void uat_trace_close(void)
{
    uat_trace_on = false;
    uat_phase_hook = NULL;
    free(trace.ring);
    trace.ring = NULL;
}
