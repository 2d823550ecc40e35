/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRANSPORT_SELECT_H
#define UAT_TRANSPORT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "transport/transport.h"

/*
 * Choose the transport: what UAT_TRANSPORT names, or, for "auto", shared memory for a job of one host, and for others
 * verbs where a port is active, else shared memory. Where workers are on several hosts and none has verbs, shared
 * memory is still tried, since nodes of a job may be one
 * machine; it refuses peers that it cannot reach. why: the reason, for logs.
 */
const struct uat_transport_class *uat_transport_select(const struct uat_options *options, bool one_host, char *why,
                                                       size_t size);

#endif
