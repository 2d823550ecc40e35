/* SPDX-License-Identifier: MIT */
#include "transport/check.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"

static bool inside(const struct uat_bounds *bounds, const void *address, size_t size)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)bounds->segment; /* wraps to a large value if the address is
                                                                         * below the segment */
    return offset <= bounds->size && size <= bounds->size - offset;
}

/* Is this remote operand inside one of the two parts of the segment that peers can access? */
static bool reachable(const struct uat_bounds *bounds, const void *address, size_t size)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)bounds->segment;
    size_t end = offset < bounds->read_only ? bounds->read_only : bounds->size - bounds->closed;
    return offset <= end && size <= end - offset;
}

/* Describes what is wrong with the form of the operation; NULL: the form is valid. */
static const char *malformed(const struct uat_op *op, bool unsignaled)
{
    bool atomic = op->code == UAT_OP_FETCH_ADD || op->code == UAT_OP_CMP_SWAP;
    if ((unsigned)op->code >= UAT_OP_KINDS)
        return "no such operation";
    if (atomic ? op->size != 8 : op->size % 8 != 0)
        return "the size is not 8 for an atomic, or not a multiple of 8";
    if ((uintptr_t)op->local % 8 || (uintptr_t)op->remote % 8)
        return "an address is not aligned to 8 bytes";
    if (unsignaled && op->code == UAT_OP_READ)
        return "a READ needs a completion";
    if (unsignaled && op->code == UAT_OP_WRITE && op->size > UAT_UNSIGNALED_WRITE_MAX)
        return "the WRITE is too long for a chain without completion";
    return NULL;
}

static __attribute__((cold)) int refuse(const struct uat_transport *t, int peer, const struct uat_op *op,
                                        const char *wrong)
{
    static const char *const names[] = {"READ", "WRITE", "FETCH_ADD", "CMP_SWAP"};
    uat_error("transport %s: %s of %u bytes, local %p, remote %p of rank %d: %s", t->class_->name,
              (unsigned)op->code < UAT_OP_KINDS ? names[op->code] : "?", op->size, op->local, op->remote, peer, wrong);
    return -EINVAL;
}

static __attribute__((cold)) int refuse_outside(const struct uat_transport *t, int peer, const struct uat_op *op,
                                                const struct uat_bounds *bounds)
{
    char wrong[128];
    const char *part = inside(bounds, op->remote, op->size) && !reachable(bounds, op->remote, op->size)
                           ? "one accessible part of "
                           : "";
    snprintf(wrong, sizeof(wrong), "not inside %sthe segment, %zu bytes at %p", part, bounds->size,
             (void *)bounds->segment);
    refuse(t, peer, op, wrong);
    return -EFAULT;
}

int uat_transport_check(const struct uat_transport *t, const struct uat_bounds *bounds, int peer,
                        const struct uat_op *ops, int count, bool unsignaled)
{
    for (const struct uat_op *op = ops; op < ops + count; op++) {
        const char *wrong = malformed(op, unsignaled);
        if (__builtin_expect(wrong != NULL, 0))
            return refuse(t, peer, op, wrong);
        /* The source of an unsignaled WRITE is copied at once, so it may lie outside the segment. An unsignaled atomic
         * may discard the old value. */
        bool anywhere = op->size == 0 || (unsignaled && (op->code == UAT_OP_WRITE || !op->local));
        bool good = reachable(bounds, op->remote, op->size) && (anywhere || inside(bounds, op->local, op->size));
        if (__builtin_expect(!good, 0))
            return refuse_outside(t, peer, op, bounds);
    }
    return 0;
}
