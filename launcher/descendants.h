/* SPDX-License-Identifier: MIT */
/* All processes that descend from this one: the workers and whatever they started, in any process group. */
#ifndef UAT_LAUNCHER_DESCENDANTS_H
#define UAT_LAUNCHER_DESCENDANTS_H

/* Become the subreaper: orphaned descendants become children of this process, so none can escape. */
void uat_descendants_adopt(void);

/* Send a signal to all descendants. */
void uat_descendants_kill(int signal);

/*
 * End all descendants and wait for them: send SIGTERM, and half a second later SIGKILL. A process that wants a
 * processor but has had one for less than 50 ms since its SIGTERM gets 10 seconds. Gives up 4 seconds after the
 * SIGTERM, or after it last spared such a process.
 */
void uat_descendants_end(void);

#endif
