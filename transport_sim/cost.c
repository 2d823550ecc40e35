/* SPDX-License-Identifier: MIT */
#include "transport_sim/cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"

static uint64_t monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void uat_sim_cost_begin(struct sim_world *world)
{
    world->cost.begun = monotonic();
}

void uat_sim_cost_started(struct sim_world *world)
{
    world->cost.started = monotonic();
}

void uat_sim_cost_left(struct sim_world *world)
{
    if (world->cost.left == 0)
        world->cost.left = monotonic();
}

void uat_sim_cost_add(uint64_t *sum)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    /* Relaxed: only the sum matters. The keeper reads the sum after all workers have ended. waitpid() orders the
     * additions before that load. */
    __atomic_fetch_add(sum, (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec, __ATOMIC_RELAXED);
}

/* The number after `key` on the file's first line that starts with `key`; 0 if there is no such line. */
static uint64_t kilobytes(int pid, const char *file, const char *key)
{
    char path[64], line[160];
    uint64_t value = 0;
    snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNu64, &value) == 1)
            break;
    if (f)
        fclose(f);
    return value;
}

void uat_sim_cost_memory(struct sim_world *world)
{
    if (world->cost.kilobytes > 0 || !world->settings.report)
        return;
    /* Proportional set size: so a page that several workers share counts once in the sum. */
    for (int i = 0; i < world->settings.size; i++)
        world->cost.kilobytes += kilobytes(world->worker[i].pid, "smaps_rollup", "Pss:") +
                                 kilobytes(world->worker[i].pid, "status", "VmPTE:");
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static uint64_t busiest(const struct sim_world *w)
{
    uint64_t most = 0;
    for (int i = 0; i < w->settings.size; i++)
        most = w->busy[i] > most ? w->busy[i] : most;
    return most;
}

void uat_sim_cost_tell(const struct sim_world *w, uint64_t executed)
{
    struct rusage use;
    uint64_t last = 0, steps = w->items > 0 ? w->items : 1;
    getrusage(RUSAGE_CHILDREN, &use);
    double processor = seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
    double during = 1e-9 * (double)(w->cost.until - w->cost.before + executed);
    for (int i = 0; i < w->settings.size; i++)
        last = w->worker[i].clock > last ? w->worker[i].clock : last;
    uat_info(
        "simulated %.6f s in %.2f s: %" PRIu64 " steps, %" PRIu64 " of them in another process than the step before, "
        "%.2f us of wall time and %.2f us of processor time each, and %.2f s of it for start and end; %d workers were "
        "there after %.2f s and take %.2f MiB each; the busiest adapter served for %.0f %% of the time",
        (double)last * 1e-9, (double)(monotonic() - w->cost.begun) * 1e-9, w->items, w->switches,
        1e-3 * (double)(w->cost.left - w->cost.started) / (double)steps, during * 1e6 / (double)steps,
        processor + 1e-9 * (double)executed - during, w->settings.size,
        (double)(w->cost.started - w->cost.begun) * 1e-9, (double)w->cost.kilobytes / 1024 / w->settings.size,
        last ? 100 * (double)busiest(w) / (double)last : 0);
    uat_info("adapters: %" PRIu64 " queue pairs fetched; atomics waited %" PRIu64 " us for their words", w->misses,
             w->lock_waits / 1000);
    if (w->settings.network.fault > 0)
        uat_info("iso-address: %" PRIu64 " steals, %" PRIu64 " first touches of a page", w->steals, w->faults);
}
