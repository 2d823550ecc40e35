/* SPDX-License-Identifier: MIT */
/*
 * The signals that uatrun handles. It has no signal handlers, but takes signals by sigwaitinfo() or from a descriptor.
 * These signals are blocked from the start. The workers get the signal state that uatrun was started with.
 */
#ifndef UAT_LAUNCHER_SIGNALS_H
#define UAT_LAUNCHER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Block SIGCHLD and all signals to pass on, except those that uatrun was started to ignore. */
void uat_signals_take(void);

/* The set that uat_signals_take() blocked. */
const sigset_t *uat_signals_set(void);

/* Called in a new worker: restore the mask and the dispositions that uatrun found at its start. Async-signal-safe. */
void uat_signals_restore(void);

/*
 * Must uatrun pass a signal on? The terminal sends its signals to the whole foreground group, so those signals have
 * already reached the workers.
 */
bool uat_signals_to_forward(int si_code);

/* Is this signal a request to end? By default, such a signal ends a process. */
bool uat_signals_ends(int signal);

/* Keep this signal pending until the worker unblocks it, also across exec. Called in a new worker.
 * Async-signal-safe. */
void uat_signals_hold(int signal);

#endif
