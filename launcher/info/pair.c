/* SPDX-License-Identifier: MIT */
#include "launcher/info/pair.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/relax.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/settings.h"
#include "runtime/segment/settings.h"

uint32_t pair_meet(struct pair *pair, uint32_t word)
{
    pair->meetings++;
    return pair->way->meet(pair, word);
}

void pair_look(struct pair *pair)
{
    enum { EVERY = 1024 };
    if (++pair->looks % EVERY)
        return;
    pair->way->look(pair);
    sched_yield(); /* lets the other process or Soft-RoCE run on a shared core */
}

void pair_do(struct pair *pair, int rank, const struct uat_op *ops, int count)
{
    if (uat_transport_do(pair->transport, rank, ops, count)) {
        pair->way->give_up();
        _exit(1);
    }
}

static int join(struct pair *pair)
{
    char blob[UAT_ENDPOINT_MAX];
    size_t size = 0;
    struct uat_endpoint both[2];
    struct uat_transport_config config = {
        .rank = pair->rank,
        .size = 2,
        .host = pair->hosts[pair->rank],
        .segment = pair->segment,
        .segment_size = PAIR_SEGMENT,
        .segment_fd = -1,
        .scratch = pair->segment,
        .wait_report = uat_job_settings.stall_timeout,
        .wait_limit = uat_job_settings.stall_limit,
    };
    uat_relax_oversubscribed = true; /* the two processes may share a core */
    int rc = uat_transport_ibv.open(&config, &pair->transport);
    if (!rc)
        rc = uat_transport_ibv.attach_info(pair->transport, blob, &size);
    if (!rc)
        rc = pair->way->exchange(pair, blob, size, both);
    if (!rc)
        rc = uat_transport_ibv.attach(pair->transport, both);
    if (!rc)
        rc = uat_transport_ibv.endpoint(pair->transport, blob, &size);
    if (!rc)
        rc = pair->way->exchange(pair, blob, size, both);
    if (!rc)
        rc = uat_transport_ibv.connect(pair->transport, both);
    if (!rc) /* wait until both processes are connected */
        rc = pair->way->exchange(pair, blob, 0, both);
    return rc;
}

/* Map a segment for this process alone, at an address that is the same on all hosts. It is a memory object, as a
 * worker's segment is. */
static int map_segment(struct pair *pair)
{
    int fd = pair->segment_fd = memfd_create("uat-litmus", MFD_CLOEXEC);
    char *segment = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, PAIR_SEGMENT))
        segment = mmap((void *)(uintptr_t)UAT_SEGMENT_ADDRESS_DEFAULT, PAIR_SEGMENT, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (segment == MAP_FAILED) {
        uat_error("no memory for the litmus tests: %s", strerror(errno));
        return -ENOMEM;
    }
    pair->segment = segment;
    pair->words = (uint64_t *)(segment + UAT_TRANSPORT_SCRATCH);
    return 0;
}

int pair_side(struct pair *pair, pair_fn *fn, void *arg)
{
    struct uat_endpoint both[2];
    int rc = map_segment(pair);
    if (!rc)
        rc = join(pair);
    if (!rc) {
        fn(pair, arg);
        rc = uat_transport_ibv.flush(pair->transport);
    }
    if (!rc) /* neither process may leave while the other's operations are in flight */
        rc = pair->way->exchange(pair, "", 0, both);
    if (pair->transport)
        uat_transport_ibv.close(pair->transport);
    pair->transport = NULL;
    if (pair->segment)
        munmap(pair->segment, PAIR_SEGMENT);
    if (pair->segment_fd >= 0)
        close(pair->segment_fd);
    pair->segment = NULL;
    return rc;
}

int pair_run(pair_fn *fn, void *arg, int *rank)
{
    bool launched = uat_launched() != UAT_LAUNCHED_ALONE;
    struct pair pair = {.segment = NULL};
    int rc = launched ? pair_launched(&pair, fn, arg) : pair_fork(&pair, fn, arg);
    *rank = pair.rank;
    return rc;
}
