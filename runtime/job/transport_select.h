/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRANSPORT_SELECT_H
#define UAT_TRANSPORT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

/*
 * Choose the transport that UAT_TRANSPORT names. "auto" chooses shared memory for a job on one host. For a job on
 * several hosts it chooses verbs if a port is active. Otherwise it chooses shared memory, because several nodes of a
 * job may be one machine. The transport refuses peers that it cannot reach. why: the reason, for logs.
 */
const struct uat_transport_class *uat_transport_select(bool one_host, char *why, size_t size);

#endif
