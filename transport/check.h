/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRANSPORT_CHECK_H
#define UAT_TRANSPORT_CHECK_H

#include "transport/transport.h"

/* The segment that operations must stay in. */
struct uat_bounds {
    const void *segment;
    size_t size; /* bytes */
};

/*
 * Refuse, with a report, a chain that has a malformed operation or one outside of the segment. This happens before any
 * of the chain takes effect, so the adapter does not break the connection. Returns 0, -EINVAL or -EFAULT.
 */
int uat_transport_check(const struct uat_transport *t, struct uat_bounds bounds, int peer, const struct uat_op *ops,
                        int count, bool unsignaled);

#endif
