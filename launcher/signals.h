/* SPDX-License-Identifier: MIT */
/*
 * The signals that uatrun takes by sigtimedwait or a descriptor instead of handlers. They are blocked from the start,
 * so that the threads of libpmix leave them alone; what uatrun was started with goes to the workers.
 */
#ifndef UAT_LAUNCHER_SIGNALS_H
#define UAT_LAUNCHER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Block SIGCHLD and all signals to pass on, but for those that uatrun was told to ignore. */
void uat_signals_take(void);

/* The set that uat_signals_take() blocked. */
const sigset_t *uat_signals_set(void);

/* In a new worker: mask and dispositions as uatrun found them. Async-signal-safe. */
void uat_signals_restore(void);

/*
 * Does a signal still have to be sent on? The terminal sends its signals to the whole foreground group, workers
 * included: those have reached them already.
 */
bool uat_signals_to_forward(int si_code);

/* Would this signal end a process that does nothing about it, as a request to end? */
bool uat_signals_ends(int signal);

#endif
