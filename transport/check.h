/* SPDX-License-Identifier: MIT */
#ifndef UAT_TRANSPORT_CHECK_H
#define UAT_TRANSPORT_CHECK_H

#include "transport/transport.h"

/* The segment in which all operands must lie. A remote operand must also lie in one of the two parts that peers can
 * access. One part is the first read_only bytes. The other part is the rest without the last `closed` bytes. */
struct uat_bounds {
    char *segment;
    size_t size; /* bytes */
    size_t read_only, closed;
};

/*
 * Refuse and report a chain with an operation that is malformed or outside the segment. The adapter would break the
 * connection, so the check precedes all effects of the chain. Returns 0, -EINVAL or -EFAULT.
 */
int uat_transport_check(const struct uat_transport *t, const struct uat_bounds *bounds, int peer,
                        const struct uat_op *ops, int count, bool unsignaled);

#endif
