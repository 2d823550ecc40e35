/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRANSPORT_CHECK_H
#define UAT_TRANSPORT_CHECK_H

#include "transport/transport.h"

/* The segment that operations must stay in. A remote operand must also stay in one of the parts that peers can
 * access: the first read_only bytes, or what follows them up to the last `closed` bytes. */
struct uat_bounds {
    char *segment;
    size_t size; /* bytes */
    size_t read_only, closed;
};

/*
 * Refuse, with a report, a chain that has a malformed operation or one outside of the segment. This happens before any
 * of the chain takes effect, so the adapter does not break the connection. Returns 0, -EINVAL or -EFAULT.
 */
int uat_transport_check(const struct uat_transport *t, const struct uat_bounds *bounds, int peer,
                        const struct uat_op *ops, int count, bool unsignaled);

#endif
