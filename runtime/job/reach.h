/* SPDX-License-Identifier: MIT */
/* Do the hosts of the job reach each other over the network? */
#ifndef UAT_REACH_H
#define UAT_REACH_H

#include "transport/transport.h"

/*
 * Let the first worker of each host check whether it reaches the other hosts. Rank 0 reports all pairs without an
 * answer in one table. All workers call this once all are connected. The check costs a round trip and a fence. In a job
 * on one host it costs nothing. Returns 0 or a negative errno.
 */
int uat_reach_check(struct uat_transport *t);

#endif
