/* SPDX-License-Identifier: MIT */
/* The network of the job: the choice of the transport, and whether the hosts reach each other. */
#ifndef UAT_NETWORK_H
#define UAT_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

/*
 * Let the first worker of each host check whether it reaches the other hosts. Rank 0 reports all pairs without an
 * answer in one table. All workers call this once all are connected. The check costs a round trip and a fence. In a job
 * on one host it costs nothing. Returns 0 or a negative errno.
 */
int uat_reach_check(struct uat_transport *t);

/*
 * Choose the transport that UAT_TRANSPORT names. "auto" chooses shared memory for a job on one host. For a job on
 * several hosts it chooses verbs if a port is active. Otherwise it chooses shared memory, because several nodes of a
 * job may be one machine. The transport refuses peers that it cannot reach. why: the reason, for logs.
 */
const struct uat_transport_class *uat_transport_select(bool one_host, char *why, size_t size);

#endif
