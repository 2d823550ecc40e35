/* SPDX-License-Identifier: MIT */
/* Input data at one address on every worker, one copy for each host. */

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/log.h"
#include "include/uat.h"
#include "runtime/job/collective.h"
#include "runtime/job/tree.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/replica.h"
#include "runtime/job/self.h"
#include "runtime/job/call.h"

/* What the host's first worker announces. Written by its own CPU only; READ by its neighbours in attach(). */
static struct uat_area shown = {
    .name = "the attach info of a replica", .size = sizeof(struct uat_replica_info), .peers = UAT_PEERS_READ};
static struct uat_area landing = {
    .name = "landing of the info", .size = sizeof(struct uat_replica_info), .peers = UAT_PEERS_NOTHING};

static void reserve_areas(void)
{
    uat_segment_reserve(&shown);
    uat_segment_reserve(&landing);
}

/* Replicas lie below the largest guard that a worker may have. */
static int open_replicas(const struct uat_room_job *job)
{
    uat_replica_open(job->leader, job->leader_pid, uat_segment.start - UAT_GUARD_MAX);
    return 0;
}

const struct uat_room uat_replica_room = {
    .name = "replica", .reserve = reserve_areas, .open = open_replicas, .close = uat_replica_close};

static size_t round_to_pages(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

/* READ the attach info of the host's first worker, and attach its copy. */
static int attach(char *at, size_t size, bool *own)
{
    int leader = uat_replica_leader();
    struct uat_op op = uat_op_read(landing.at, shown.at, landing.size);
    int rc = uat_transport_do(uat_self.transport, leader, &op, 1);
    return rc ? rc : uat_replica_attach(at, size, landing.at, own);
}

/*
 * Create memory for a replica at the same place on all ranks, or on none. *own becomes true if this worker fills it.
 * Returns 0 or a negative errno.
 */
static int reserve(char *at, size_t size, bool *own)
{
    *own = uat_replica_leads();
    int made = *own ? uat_replica_make(at, size, shown.at) : 0;
    int rc = uat_collective_agree(made);
    if (rc && *own && !made)
        uat_replica_abandon(at, size);
    if (rc)
        return rc;
    int attached = uat_replica_leads() ? 0 : attach(at, size, own);
    rc = uat_collective_agree(attached);
    if (rc && !attached)
        uat_replica_abandon(at, size);
    return rc;
}

static int replicate(const char *p, size_t n, char **out)
{
    int status = uat_self.rank == 0 && n > 0 && !p ? -EINVAL : 0;
    if (status)
        uat_error("uat_replicate() was given NULL for %zu bytes on rank 0", n);
    int rc = uat_collective_agree_on(status, &n); /* rank 0's size, known to all ranks */
    if (rc)
        return rc;
    bool own;
    size_t size = round_to_pages(n ? n : 1);
    char *at = *out = uat_replica_place(size);
    if ((rc = reserve(at, size, &own)))
        return rc;
    int kept = uat_tree_copy(own ? at : NULL, p, n);
    if (!kept)
        kept = uat_replica_keep(at, size);
    /* The host's first worker has copied the data. The barrier in uat_collective_agree() orders its stores before the
     * other workers' loads. */
    rc = uat_collective_agree(kept);
    if (rc && kept)
        uat_replica_abandon(at, size);
    else if (rc)
        uat_replica_drop(at);
    return rc;
}

void *uat_replicate(const void *p, size_t n)
{
    char *at = NULL;
    int rc = uat_call_check(UAT_CALL_REPLICATE);
    if (!rc) {
        uat_call_enter(UAT_CALL_REPLICATE);
        rc = replicate(p, n, &at);
        uat_call_leave();
    }
    if (!rc)
        return at;
    errno = -rc;
    return NULL;
}

/* Free a replica. All ranks must name the same replica, or the call fails on all of them. */
static int release(char *at)
{
    uint64_t first = (uintptr_t)at;
    int status = uat_replica_is(at) ? 0 : -EINVAL;
    if (status)
        uat_error("uat_replicate_free(): no replica begins at %p", (void *)at);
    int rc = uat_collective_agree_on(status, &first);
    if (rc)
        return rc;
    if ((uintptr_t)at != first)
        uat_error("uat_replicate_free() was given %p here and %p on rank 0", (void *)at, (void *)first);
    if ((rc = uat_collective_agree((uintptr_t)at != first ? -EINVAL : 0)))
        return rc;
    uat_replica_drop(at);
    return 0;
}

int uat_replicate_free(void *replica)
{
    int rc = uat_call_check(UAT_CALL_REPLICATE_FREE);
    if (rc || !replica)
        return rc;
    uat_call_enter(UAT_CALL_REPLICATE_FREE);
    rc = release(replica);
    uat_call_leave();
    return rc;
}
