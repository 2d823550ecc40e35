/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include "base/cgroup.h"
#include "base/host.h"

#include <errno.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>

static struct bitmask *allowed_mask(void)
{
    struct bitmask *mask = numa_allocate_cpumask();
    if (mask && numa_sched_getaffinity(0, mask) < 0) {
        numa_free_cpumask(mask);
        return NULL;
    }
    return mask;
}

static double quota(void)
{
    char limit[UAT_CGROUP_LIMIT_MAX];
    return uat_cgroup_cores("", limit);
}

int uat_cpus_allowed(void)
{
    double cores = quota();
    struct bitmask *mask = allowed_mask();
    if (!mask)
        return 1;
    unsigned n = numa_bitmask_weight(mask);
    numa_free_cpumask(mask);
    if (n > cores)
        n = (unsigned)cores;
    return n > 0 ? (int)n : 1;
}

/* How many allowed hardware threads of the same core have a lower number than `cpu`? */
static int sibling_index(const struct bitmask *allowed, int cpu)
{
    struct bitmask *siblings = uat_host_siblings(cpu);
    if (!siblings)
        return 0;
    int index = 0;
    for (int i = 0; i < cpu; i++)
        index += numa_bitmask_isbitset(siblings, (unsigned)i) && numa_bitmask_isbitset(allowed, (unsigned)i);
    numa_free_cpumask(siblings);
    return index;
}

struct place {
    int cpu, sibling;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->sibling != y->sibling ? x->sibling - y->sibling : x->cpu - y->cpu;
}

int uat_cpus_assign(int *cores, int n, bool always)
{
    cores[0] = -1;
    if (n == 1 && !always)
        return 0;
    struct bitmask *allowed = allowed_mask();
    struct place *places = allowed ? calloc(allowed->size, sizeof(*places)) : NULL;
    int count = 0, whole = 0; /* hardware threads; cores */
    if (!places) {
        int error = errno;
        uat_say("cannot find out which cores may be used: %s (--bind none does not need them)", strerror(error));
        if (allowed)
            numa_free_cpumask(allowed);
        return -error;
    }
    for (unsigned cpu = 0; cpu < allowed->size; cpu++)
        if (numa_bitmask_isbitset(allowed, cpu)) {
            places[count] = (struct place){(int)cpu, sibling_index(allowed, (int)cpu)};
            whole += places[count++].sibling == 0;
        }
    bool bind = always || (n >= whole && n <= quota());
    qsort(places, (size_t)count, sizeof(*places), compare_places);
    for (int rank = 0; rank < n; rank++)
        cores[rank] = bind ? places[rank % count].cpu : -1;
    free(places);
    numa_free_cpumask(allowed);
    return 0;
}

int uat_cpus_bind(struct bitmask *mask, int core)
{
    numa_bitmask_clearall(mask);
    numa_bitmask_setbit(mask, (unsigned)core);
    return numa_sched_setaffinity(0, mask) < 0 ? -errno : 0;
}
