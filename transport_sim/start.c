/* SPDX-License-Identifier: MIT */
#include "transport_sim/sim.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/meeting.h"
#include "base/memory.h"
#include "transport_sim/keeper.h"
#include "transport_sim/plan.h"
#include "transport_sim/settings.h"
#include "transport_sim/token.h"
#include "transport_sim/world.h"

static int read_workers(int *size)
{
    const char *text = getenv(UAT_SIM_WORKERS_VARIABLE);
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 1;
    if (!text && (getenv("PMIX_RANK") || getenv(UAT_MEETING_RANK))) {
        uat_error(
            "UAT_TRANSPORT=sim simulates all workers on one host: start it by uatrun -n N, not by srun or mpirun");
        return -EINVAL;
    }
    if (n < 1 || n > UAT_SIM_WORKERS_MAX || (end && *end)) {
        uat_error("%s=%s: not a number of workers from 1 to %d; uatrun sets it", UAT_SIM_WORKERS_VARIABLE, text,
                  UAT_SIM_WORKERS_MAX);
        return -EINVAL;
    }
    *size = (int)n;
    return 0;
}

static struct sim_settings read_settings(bool report, int size)
{
    const struct uat_sim_settings *o = &uat_sim_settings;
    struct sim_settings s = {.size = size,
                             .task = o->task,
                             .cpu_percent = o->cpu,
                             .quantum = o->quantum,
                             .seed = o->seed,
                             .limit = o->limit * 1000000,
                             .chain_order = o->order == UAT_SIM_ORDER_CHAIN,
                             .weak_stores = o->stores == UAT_SIM_STORES_WEAK,
                             .stop = o->stop,
                             .stop_rank = o->stop_rank,
                             .report = report,
                             .network = uat_sim_network_choose()};
    s.lookahead = uat_sim_plan_lookahead(&s);
    return s;
}

static int open_world(bool bind, bool report, int size)
{
    struct sim_settings settings = read_settings(report, size);
    uat_sim.world = uat_sim_world_open(&settings);
    int object = uat_sim.world ? uat_memfd("uat-sim", 0) : -1;
    if (object < 0) {
        int error = errno;
        uat_error("no memory for a simulation of %d workers: %s", size, strerror(error));
        return -error;
    }
    uat_sim.world->object = object;
    uat_sim.world->stop_at = settings.stop > 0 ? settings.stop : SIM_NEVER;
    uat_sim.world->core = bind ? sched_getcpu() : -1;
    return 0;
}

/* Make this process worker `rank`. */
static void become(int rank)
{
    uint64_t mixed = (uat_sim.world->settings.seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)rank * 0xbf58476d1ce4e5b9u;
    uat_sim.rank = rank;
    uat_sim.me = &uat_sim.world->worker[rank];
    uat_sim.me->pid = getpid();
    uat_sim.random = mixed ? mixed : 1;
    for (int i = 0; i < 8; i++) /* similar seeds must give unrelated sequences */
        uat_sim_random(1);
    uat_sim_hooks_set();
}

int uat_sim_start(bool bind, bool report, struct uat_sim_place *place)
{
    int size = 1;
    int rc = read_workers(&size);
    if (rc == 0)
        rc = open_world(bind, report, size);
    if (rc)
        return rc;
    int rank = getenv(UAT_SIM_WORKERS_VARIABLE) ? uat_sim_keeper_fork(uat_sim.world) : 0;
    become(rank);
    int node = uat_sim.world->settings.network.node, host = rank / node;
    int left = size - host * node;
    *place = (struct uat_sim_place){
        .rank = rank, .size = size, .local_rank = rank % node, .local_size = left < node ? left : node, .host = host};
    return 0;
}

bool uat_sim_on(void)
{
    return uat_sim.rank >= 0;
}

int uat_sim_object(size_t segment_size, off_t *offset)
{
    *offset = (off_t)segment_size * uat_sim.rank;
    if (ftruncate(uat_sim.world->object,
                  (off_t)segment_size * uat_sim.world->settings.size)) /* every worker sets the same size */
        return -1;
    return dup(uat_sim.world->object);
}

/* A barrier in real time: before the simulation starts, the workers run concurrently. */
static void meet(void)
{
    struct sim_world *w = uat_sim.world;
    /* Acquire and release: pairs with this addition in every other worker. The pair makes each worker's blob visible to
     * the other workers. */
    uint32_t met = __atomic_add_fetch(&w->met, 1, __ATOMIC_ACQ_REL);
    if (met == (uint32_t)w->settings.size)
        syscall(SYS_futex, &w->met, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    /* Acquire: pairs with the addition above in every other worker. */
    while ((met = __atomic_load_n(&w->met, __ATOMIC_ACQUIRE)) < (uint32_t)w->settings.size)
        syscall(SYS_futex, &w->met, FUTEX_WAIT, met, NULL, NULL, 0);
}

/* Append this worker's blob. The order of the blobs depends on when the workers arrive in real time. Nothing depends on
 * this order. */
static void place(const void *blob, size_t size)
{
    struct sim_world *w = uat_sim.world;
    uint64_t room = (size + SIM_BLOB_ALIGNMENT - 1) / SIM_BLOB_ALIGNMENT * SIM_BLOB_ALIGNMENT;
    /* Relaxed: pairs with this addition in other workers. The addition only assigns places; meet() orders the bytes. */
    uint64_t at = __atomic_fetch_add(&w->blobs, room, __ATOMIC_RELAXED);
    memcpy(w->blob + at, blob, size);
    w->blob_at[uat_sim.rank] = at;
    w->blob_size[uat_sim.rank] = (uint32_t)size;
}

int uat_sim_exchange(const void *blob, size_t size, void ***blobs, size_t **sizes)
{
    struct sim_world *w = uat_sim.world;
    size_t n = (size_t)w->settings.size;
    if (size > SIM_BLOB_MAX) {
        uat_error("transport sim: %zu bytes to be published are more than %d", size, SIM_BLOB_MAX);
        return -EMSGSIZE;
    }
    place(blob, size);
    meet();
    *blobs = calloc(n + 1, sizeof(**blobs));
    *sizes = calloc(n, sizeof(**sizes));
    if (!*blobs || !*sizes) {
        free(*blobs);
        free(*sizes);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        (*blobs)[i] = w->blob + w->blob_at[i];
        (*sizes)[i] = w->blob_size[i];
    }
    return 0;
}

int uat_sim_barrier(void)
{
    if (uat_sim.inside)
        uat_sim_leave();
    else
        uat_sim_begin();
    return 0;
}
