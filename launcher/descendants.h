/* SPDX-License-Identifier: MIT */
/* All descendants of this process: the workers and all processes that they started, in any process group. */
#ifndef UAT_LAUNCHER_DESCENDANTS_H
#define UAT_LAUNCHER_DESCENDANTS_H

/* Become the subreaper. Then orphaned descendants become children of this process, so no descendant can escape. */
void uat_descendants_adopt(void);

/* Send a signal to all descendants. */
void uat_descendants_kill(int signal);

/*
 * End all descendants and wait for them. Send SIGTERM, and half a second later SIGKILL. A process is starved if it is
 * runnable but has run for less than 50 ms since its SIGTERM. A starved process gets 10 seconds before SIGKILL. The
 * function gives up 4 seconds after the SIGTERM, or 4 seconds after it last spared a starved process.
 */
void uat_descendants_end(void);

#endif
