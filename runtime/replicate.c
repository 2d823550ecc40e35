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
#include "runtime/task/worker.h"

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

/* Rank 0's size, on all ranks. */
static int share_size(size_t n, size_t *out)
{
    uat_segment.control->replica_size = n;
    int rc = uat_collective_barrier();
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

void *uat_replicate(const void *p, size_t n)
{
    if (!uat_self.transport || uat_worker.running) {
        errno = EINVAL;
        return NULL;
    }
    int rc = share_size(n, &n);
    if (rc) {
        errno = -rc;
        return NULL;
    }
    size_t size = round_to_pages(n ? n : 1);
    char *wanted = replica_start() + replicas.used;
    char *at = mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    uint64_t failed = at != wanted;
    if (failed) {
        uat_error("uat_replicate(): %zu bytes at %p: %s", n, (void *)wanted, strerror(errno));
        return NULL;
    }
    replicas.used += size;
    rc = spread(at, p, n);
    if (rc) {
        errno = -rc;
        return NULL;
    }
    mprotect(at, size, PROT_READ);
    return at;
}

void uat_replicate_close(void)
{
    if (replicas.used)
        munmap(replica_start(), replicas.used);
    replicas.used = 0;
}
