/* SPDX-License-Identifier: MIT */
/*
 * Input data at one address on every worker, one copy for each host. The bytes travel through the uni-address region,
 * which is registered and unused outside of a run: chunk by chunk, in each chunk from rank to rank in a binomial tree.
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/replica.h"
#include "runtime/start/self.h"
#include "runtime/watch/call.h"

static size_t round_to_pages(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

/* Rank 0's size, on all ranks. status: whether this rank's arguments are right; all fail if one's are not. */
static int share_size(size_t n, int status, size_t *out)
{
    uat_segment.control->replica_size = n;
    int rc = uat_collective_agree(status);
    struct uat_op op = uat_op_read(&uat_segment.staging->old, uat_segment_of(0, &uat_segment.control->replica_size), 8);
    if (!rc)
        rc = uat_transport_do(uat_self.transport, 0, &op, 1);
    *out = uat_segment.staging->old; /* before the barrier, which puts its own results there */
    return rc ? rc : uat_collective_barrier();
}

/* Bring `bytes` at the region's start from rank 0 to all: in round k the ranks from 2^k on read from those below. */
static int spread_chunk(size_t bytes)
{
    int rc = uat_collective_barrier(); /* rank 0 has filled the chunk */
    for (int have = 1; have < uat_self.size && !rc; have *= 2) {
        if (uat_self.rank >= have && uat_self.rank < 2 * have) {
            struct uat_op op = uat_op_read((void *)uat_segment.low, (void *)uat_segment.low, (bytes + 7) & ~(size_t)7);
            rc = uat_transport_do(uat_self.transport, uat_self.rank - have, &op, 1);
        }
        if (!rc)
            rc = uat_collective_barrier();
    }
    return rc;
}

/* Bring n bytes from rank 0 to all; `to` is NULL on workers whose host has another one's copy. */
static int spread(char *to, const char *from, size_t n)
{
    size_t room = uat_segment_region_size();
    room = room < (1u << 20) ? room : 1u << 20; /* leaves the deeper part of the region untouched */
    int rc = 0;
    for (size_t done = 0; done < n && !rc; done += room) {
        size_t bytes = n - done < room ? n - done : room;
        char *staged = (char *)uat_segment.low;
        if (uat_self.rank == 0)
            memcpy(staged, from + done, bytes);
        rc = spread_chunk(bytes);
        if (!rc && to)
            memcpy(to + done, staged, bytes);
    }
    memset((void *)uat_segment.low, 0, n < room ? n : room); /* for the stacks' high-water mark */
    return rc;
}

/* READ the card of the host's first worker, and attach its copy. */
static int attach(char *at, size_t size, bool *own)
{
    struct uat_replica_card *card = &uat_segment.staging->replica_card;
    int leader = uat_replica_leader();
    struct uat_op op = uat_op_read(card, uat_segment_of(leader, &uat_segment.control->replica_card), sizeof(*card));
    int rc = uat_transport_do(uat_self.transport, leader, &op, 1);
    return rc ? rc : uat_replica_attach(at, size, card, own);
}

/*
 * Memory for a replica, at the same place on all ranks or on none. *own: this worker fills it. 0 or a negative errno.
 */
static int reserve(char *at, size_t size, bool *own)
{
    struct uat_replica_card *card = &uat_segment.control->replica_card;
    *own = uat_replica_leads();
    int made = *own ? uat_replica_make(at, size, card) : 0;
    int rc = uat_collective_agree(made);
    if (rc && *own && !made) {
        munmap(at, size);
        close((int)card->fd);
    }
    if (rc)
        return rc;
    int attached = uat_replica_leads() ? 0 : attach(at, size, own);
    rc = uat_collective_agree(attached);
    if (rc && !attached) {
        munmap(at, size);
        if (uat_replica_leads())
            close((int)card->fd);
    }
    return rc;
}

static int replicate(const char *p, size_t n, char **out)
{
    int status = uat_self.rank == 0 && n > 0 && !p ? -EINVAL : 0;
    if (status)
        uat_error("uat_replicate() was given NULL for %zu bytes on rank 0", n);
    int rc = share_size(n, status, &n);
    if (rc)
        return rc;
    bool own;
    size_t size = round_to_pages(n ? n : 1);
    char *at = *out = uat_replica_place(size);
    if ((rc = reserve(at, size, &own)))
        return rc;
    rc = spread(own ? at : NULL, p, n);
    if (!rc)
        rc = uat_replica_keep(at, size, &uat_segment.control->replica_card);
    /* The barrier in here orders the copy of the host's first worker before the others' loads of it. */
    return uat_collective_agree(rc);
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

/* All ranks name the same replica, or all fail. */
static int release(char *at)
{
    size_t first;
    int status = uat_replica_is(at) ? 0 : -EINVAL;
    if (status)
        uat_error("uat_replicate_free(): no replica begins at %p", (void *)at);
    int rc = share_size((size_t)at, status, &first);
    if (rc)
        return rc;
    if ((size_t)at != first)
        uat_error("uat_replicate_free() was given %p here and %p on rank 0", (void *)at, (void *)first);
    if ((rc = uat_collective_agree((size_t)at != first ? -EINVAL : 0)))
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
