/* SPDX-License-Identifier: MIT */
/* How an idle worker waits between two attempts to steal: spin, then yield the core, then sleep. A worker sleeps early
 * and long if there are fewer cores than workers. */
#ifndef UAT_IDLE_H
#define UAT_IDLE_H

#include <stdint.h>

struct uat_idle {
    unsigned failures; /* consecutive failures */
};

/* Prepare, or begin anew. Call it after uat_self.transport is open. */
void uat_idle_open(void);

/* Back off for a random time after a failed attempt. The time grows with each failure, so that idle workers leave the
 * network to those that have work. result: the attempt's enum uat_steal, but not UAT_STEAL_DONE. If it is not
 * UAT_STEAL_EMPTY, even a worker that shares its core backs off. After UAT_STEAL_LOST_RACE the time also grows with the
 * duration of the attempts that lost. trips: the attempt's dependent round trips, 0 if there was none; took: its ns. */
void uat_idle(struct uat_idle *idle, int result, unsigned trips, uint64_t took);

/* End a pause as soon as *word differs from `value`: a peer WRITEs the word. Until the first call, pauses run to their
 * end. */
void uat_idle_watch(const uint64_t *word, uint64_t value);

#endif
