/* SPDX-License-Identifier: MIT */
#include "transport_sim/keeper.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"
#include "transport_sim/token.h"
#include "transport_sim/world.h"

static pthread_t thread;

/* Map the segments of all workers, after the workers have opened them. If mmap() fails, the executor accesses the
 * segments through the file. */
static void map_segments(void)
{
    struct sim_world *w = uat_sim.world;
    uat_sim.segment = w->segment;
    uat_sim.segment_size = w->segment_size;
    void *all = mmap(NULL, (size_t)w->settings.size * w->segment_size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE, w->object, 0);
    uat_sim.all = all == MAP_FAILED ? NULL : all;
}

static void *execute(void *none)
{
    uat_sim_token_share_core();
    for (;;) {
        uat_sim_token_await(&uat_sim.world->execute);
        if (!uat_sim.segment)
            map_segments();
        uat_sim_token_pass_on();
    }
    return none;
}

void uat_sim_executor_start(void)
{
    if (uat_sim.world->settings.size <= SIM_MAPPED_MAX)
        return;
    int rc = pthread_create(&thread, NULL, execute, NULL);
    if (rc)
        uat_warn("the simulation runs without a thread for operations, and is slower: %s", strerror(rc));
    /* Relaxed: pairs with the load in give_to_executor(), token.c. A worker that does not see this store yet executes
     * operations itself, in the same order. */
    __atomic_store_n(&uat_sim.world->executes, rc == 0, __ATOMIC_RELAXED);
}

uint64_t uat_sim_executor_time(void)
{
    struct timespec t = {0};
    clockid_t clock;
    if (uat_sim.world->executes && pthread_getcpuclockid(thread, &clock) == 0)
        clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
