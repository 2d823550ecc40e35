/* SPDX-License-Identifier: MIT */
/*
 * Input data at one address on every worker. Replicas lie above the segment, one behind the other, so all workers find
 * the same address by counting. The bytes travel through the uni-address region, which is registered and unused
 * outside of a run: chunk by chunk, in each chunk from rank to rank in a binomial tree.
 */
#include "runtime/replicate.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/watch/call.h"

static struct {
    size_t used; /* bytes of address space behind the segment */
} replicas;

static size_t round_to_pages(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

static char *replica_start(void)
{
    return uat_segment.start + uat_segment.size;
}

/* Rank 0's size, on all ranks. status: whether this rank's arguments are right; all fail if one's are not. */
static int share_size(size_t n, int status, size_t *out)
{
    uat_segment.control->replica_size = n;
    int rc = uat_collective_agree(status);
    struct uat_op op = uat_op_read(&uat_segment.staging->old, &uat_segment.control->replica_size, 8);
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
        if (!rc)
            memcpy(to + done, staged, bytes);
    }
    memset((void *)uat_segment.low, 0, n < room ? n : room); /* for the stacks' high-water mark */
    return rc;
}

/* Address space for n bytes, at the same place on all ranks, or on none. 0 or a negative errno. */
static int reserve(size_t n, size_t size, char **out)
{
    char *wanted = replica_start() + replicas.used;
    char *at = mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    int status = at == wanted ? 0 : at == MAP_FAILED ? -errno : -EEXIST;
    if (status)
        uat_error("uat_replicate() has no room for %zu bytes at %p: %s; it fails on all ranks", n, (void *)wanted,
                  status == -EEXIST ? "the address is taken; see UAT_SEGMENT_ADDRESS" : strerror(-status));
    int rc = uat_collective_agree(status);
    if (rc && at != MAP_FAILED)
        munmap(at, size);
    *out = at;
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
    size_t size = round_to_pages(n ? n : 1);
    if ((rc = reserve(n, size, out)))
        return rc;
    replicas.used += size;
    rc = spread(*out, p, n);
    if (!rc && mprotect(*out, size, PROT_READ)) {
        rc = -errno;
        uat_error("the replica at %p cannot be made read-only: %s", (void *)*out, strerror(-rc));
    }
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

void uat_replicate_close(void)
{
    if (replicas.used)
        munmap(replica_start(), replicas.used);
    replicas.used = 0;
}
