/* SPDX-License-Identifier: MIT */
/* A pair of processes that a launcher has started. They exchange blobs through the launcher, and meet by WRITEs. */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "launcher/info/pair.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/settings.h"

enum { EXCHANGES = 4, LINE = 8 /* words of a cache line */ };

/* The meetings' words. They lie at the end of the segment, at the same address in both processes. */
struct meetings {
    /* [meeting % 2][0]: the meeting's number and the other process's word. The other process WRITEs it. */
    uint64_t arrived[2][LINE];
    uint64_t own[LINE];  /* [0]: source of that WRITE */
    uint64_t seen[LINE]; /* [0]: destination of a READ of the other process's word */
};
_Static_assert(sizeof(struct meetings) <= PAIR_MEETINGS, "fits into its part of the segment");

/* A blob, preceded by the name of the host. */
struct blob {
    char host[64];
    char data[UAT_ENDPOINT_MAX];
};

struct launched {
    int exchanges;
    void **blobs[EXCHANGES];
    size_t *sizes[EXCHANGES];
};

static struct {
    uint64_t since; /* when the current wait started, in seconds; 0: not waiting */
    int limit;      /* seconds; 0: no limit */
} waits;

/* Called during an exchange. If the other process or the network is lost, PMIx's servers may never answer. */
static void waiting(void)
{
    uint64_t now = uat_clock_seconds();
    if (!waits.since)
        waits.since = now;
    if (waits.limit == 0 || now - waits.since < (uint64_t)waits.limit)
        return;
    uat_error("has waited %d s for the other process (UAT_STALL_LIMIT=%d); has it found a port that can be used?",
              waits.limit, waits.limit);
    uat_bootstrap_abort(1);
    _Exit(1);
}

static void waited(void)
{
    waits.since = 0;
}

static int exchange(struct pair *pair, const void *data, size_t size, struct uat_endpoint out[2])
{
    struct launched *l = pair->of_way;
    int number = l->exchanges++;
    struct blob blob = {.host = ""};
    snprintf(blob.host, sizeof(blob.host), "%s", pair->hosts[pair->rank]);
    memcpy(blob.data, data, size);
    int rc =
        uat_bootstrap_exchange(&blob, offsetof(struct blob, data) + size, NULL, &l->blobs[number], &l->sizes[number]);
    for (int i = 0; i < 2 && !rc; i++) {
        const struct blob *from = l->blobs[number][i];
        pair->hosts[i] = from->host;
        out[i] = (struct uat_endpoint){from->data, l->sizes[number][i] - offsetof(struct blob, data), from->host};
    }
    return rc;
}

static struct meetings *meetings_of(struct pair *pair)
{
    return (struct meetings *)(pair->segment + PAIR_SEGMENT - PAIR_MEETINGS);
}

/* READ a word of the other process once a second, so that the loss of the process or the link causes an error. */
static void look(struct pair *pair)
{
    static uint64_t looked;
    struct meetings *m = meetings_of(pair);
    struct uat_op op = uat_op_read(m->seen, m->own, 8);
    if (looked == uat_clock_seconds())
        return;
    looked = uat_clock_seconds();
    pair_do(pair, 1 - pair->rank, &op, 1);
}

/* The meeting's number and the word are in one 8-byte word, so no order between them is needed. Two slots suffice: at
 * meeting k, the other process has reached meeting k - 1, so it has read the slot of meeting k - 2. */
static uint32_t meet(struct pair *pair, uint32_t word)
{
    struct meetings *m = meetings_of(pair);
    uint64_t *arrived = m->arrived[pair->meetings % 2];
    m->own[0] = (uint64_t)pair->meetings << 32 | word;
    struct uat_op tell = uat_op_write(m->own, arrived, 8);
    pair_do(pair, 1 - pair->rank, &tell, 1);
    for (;;) {
        /* Acquire: everything after this meeting sees what the other process did before its WRITE in meet(). */
        uint64_t there = __atomic_load_n(arrived, __ATOMIC_ACQUIRE);
        if (there >> 32 == pair->meetings)
            return (uint32_t)there;
        pair_look(pair);
        sched_yield();
    }
}

static void give_up(void)
{
    uat_bootstrap_abort(1);
}

static int run(struct pair *pair, const struct uat_job *job, pair_fn *fn, void *arg)
{
    static const struct pair_way way = {exchange, meet, look, give_up};
    struct launched launched = {.exchanges = 0};
    pair->hosts[job->rank] = job->host;
    pair->way = &way;
    pair->of_way = &launched;
    int rc = pair_side(pair, fn, arg);
    for (int i = 0; i < EXCHANGES; i++)
        uat_bootstrap_free(launched.blobs[i], launched.sizes[i]);
    return rc;
}

/* All processes finalize. An abort of the job could silence the process that reports the reason. */
static int refuse(const struct uat_job *job)
{
    if (job->rank == 0)
        uat_error("the litmus tests take one process or two, and %s has started %d: try srun --mpi=pmix -N 2 "
                  "--ntasks-per-node=1 uat_info --litmus",
                  job->launcher, job->size);
    if (!uat_bootstrap_barrier())
        uat_bootstrap_close();
    return -EINVAL;
}

int pair_launched(struct pair *pair, pair_fn *fn, void *arg)
{
    static const struct uat_bootstrap_user user = {.waiting = waiting, .waited = waited};
    struct uat_job job;
    uat_job_settings.transport = UAT_TRANSPORT_IBV;
    waits.limit = uat_job_settings.stall_limit;
    int rc = uat_bootstrap_open(&job, &user);
    if (rc)
        return rc;
    pair->rank = job.rank;
    if (job.size > 2)
        return refuse(&job);
    rc = job.size == 1 ? pair_fork(pair, fn, arg) : run(pair, &job, fn, arg);
    if (rc)
        uat_bootstrap_abort(1);
    else
        rc = uat_bootstrap_close();
    return rc;
}
