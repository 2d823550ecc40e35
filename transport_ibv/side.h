/* SPDX-License-Identifier: MIT */
/*
 * Calls of verbs that one worker makes side by side. A call that creates or connects a queue pair waits for the
 * adapter's firmware, up to milliseconds. With global memory the first worker of a host makes a queue pair for each
 * worker of the job, and all other workers wait for it. So it makes these calls in several threads, which live only as
 * long as uat_ibv_side_by_side().
 */
#ifndef UAT_IBV_SIDE_H
#define UAT_IBV_SIDE_H

enum { UAT_IBV_SIDES = 8 /* maximum threads */ };

/* Call one(context, i) once for each i from 0 to count - 1, in up to `threads` threads, the caller's included. After a
 * failure no further calls begin. Returns 0, or the negative errno of the first call that failed; *failed is its i. If
 * no thread can be created, the caller's thread makes all calls. */
int uat_ibv_side_by_side(int (*one)(void *context, int i), void *context, int count, int threads, int *failed);

#endif
