/* SPDX-License-Identifier: MIT */
#include "runtime/job/binding.h"

#include <errno.h>
#include <numa.h>
#include <string.h>

#include "base/cgroup.h"
#include "base/host.h"
#include "base/log.h"

/* The quota of processor time that this host's workers share, such as a container's, and the workers' number. */
static struct {
    double cores;
    int workers;
    char limit[UAT_CGROUP_LIMIT_MAX];
} quota;

/* A number for this machine's kernel. Two containers have two host names but share the kernel, and its cores. */
static uint64_t machine_id(void)
{
    char boot[UAT_HOST_BOOT_MAX];
    uint64_t id = 0;
    uat_host_boot_id(boot);
    for (const char *p = boot; *p; p++)
        id = (id ^ (uint64_t)(unsigned char)*p) * UINT64_C(0x100000001b3);
    return id;
}

/*
 * The cores of the worker's control group: the kernel grants these to a process that asks for all. A launcher's binding
 * is a subset. Returns false if the kernel counts more cores than a set holds.
 */
static bool find_allowed(cpu_set_t *allowed)
{
    cpu_set_t own, all;
    if (sched_getaffinity(0, sizeof(own), &own))
        return false;
    memset(&all, 0xff, sizeof(all));
    if (sched_setaffinity(0, sizeof(all), &all) || sched_getaffinity(0, sizeof(*allowed), allowed))
        *allowed = own;
    sched_setaffinity(0, sizeof(own), &own);
    return true;
}

/* Find for each of these hardware threads the lowest hardware thread on the same physical core. If the kernel does not
 * name that thread, use the thread itself. (Linux counts each hardware thread as a core.) */
static void find_siblings(const cpu_set_t *of, int siblings[CPU_SETSIZE])
{
    for (int c = 0; c < CPU_SETSIZE; c++) {
        struct bitmask *mask = CPU_ISSET(c, of) ? uat_host_siblings(c) : NULL;
        int first = 0;
        while (mask && first < c && !numa_bitmask_isbitset(mask, (unsigned)first))
            first++;
        siblings[c] = mask ? first : c;
        if (mask)
            numa_free_cpumask(mask);
    }
}

int uat_binding_choose(const cpu_set_t *allowed, const int *siblings, int local_rank, int local_size)
{
    if (local_rank < 0 || local_rank >= local_size || CPU_COUNT(allowed) < local_size)
        return -1;
    cpu_set_t left = *allowed;
    for (int k = 0;;) { /* each round takes one thread of every core that has a thread left */
        cpu_set_t taken;
        CPU_ZERO(&taken);
        for (int c = 0; c < CPU_SETSIZE; c++) {
            if (!CPU_ISSET(c, &left) || CPU_ISSET(siblings[c], &taken))
                continue;
            if (k++ == local_rank)
                return c;
            CPU_SET(siblings[c], &taken);
            CPU_CLR(c, &left);
        }
    }
}

int uat_binding_cores(const cpu_set_t *allowed, const int *siblings)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, allowed))
            CPU_SET(siblings[c], &cores);
    return CPU_COUNT(&cores);
}

static void bind_to(int core)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof(one), &one)) {
        uat_warn("cannot bind to core %d: %s; the kernel may move this worker between cores", core, strerror(errno));
        return;
    }
    if (numa_available() >= 0)
        numa_set_localalloc(); /* an inherited policy was not made for this core */
    uat_info("bound to core %d", core);
}

static void place_self(enum uat_bind bind, const cpu_set_t *cores, const cpu_set_t *allowed, int local_rank,
                       int local_size)
{
    static int siblings[CPU_SETSIZE];
    if (bind == UAT_BIND_AUTO && !CPU_EQUAL(cores, allowed)) {
        uat_info("keeps the binding to %d of %d cores that it was started with", CPU_COUNT(cores), CPU_COUNT(allowed));
        return;
    }
    if (bind == UAT_BIND_AUTO && (local_size == 1 || local_size > quota.cores))
        return; /* one worker: as below; many: as with fewer cores than workers, the kernel chooses which worker runs */
    find_siblings(cores, siblings);
    if (bind == UAT_BIND_AUTO && local_size < uat_binding_cores(cores, siblings))
        return; /* several jobs that leave cores unused would choose the same cores */
    int core = uat_binding_choose(cores, siblings, local_rank, local_size);
    if (core >= 0)
        bind_to(core);
    else if (CPU_COUNT(cores) == 1 && bind == UAT_BIND_CORE)
        uat_info("keeps the core that it was bound to");
    else if (bind == UAT_BIND_CORE)
        uat_warn("UAT_BIND=core: %d workers have %d cores here; they are not bound", local_size, CPU_COUNT(cores));
}

void uat_binding_take(struct uat_binding *binding, enum uat_bind bind, int local_rank, int local_size)
{
    cpu_set_t allowed;
    *binding = (struct uat_binding){.machine = machine_id()};
    CPU_ZERO(&binding->cores);
    quota.cores = uat_cgroup_cores("", quota.limit);
    quota.workers = local_size;
    if (!find_allowed(&allowed)) {
        uat_info("more than %d processors: workers are not bound", CPU_SETSIZE);
        return;
    }
    sched_getaffinity(0, sizeof(binding->cores), &binding->cores);
    if (bind != UAT_BIND_NONE)
        place_self(bind, &binding->cores, &allowed, local_rank, local_size);
    sched_getaffinity(0, sizeof(binding->cores), &binding->cores);
}

static int first_core(const cpu_set_t *cores)
{
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, cores))
            return c;
    return -1;
}

/* The number of workers confined to the same set of cores as worker i. *other becomes the rank of another such worker,
 * or -1. */
static int count_equal(const struct uat_binding *const *places, int n, int i, int *other)
{
    int equal = 0;
    *other = -1;
    for (int k = 0; k < n; k++)
        if (places[k]->machine == places[i]->machine && CPU_EQUAL(&places[k]->cores, &places[i]->cores)) {
            equal++;
            if (k != i)
                *other = k;
        }
    return equal;
}

struct uat_crowding uat_binding_judge(const struct uat_binding *const *places, int n, int self,
                                      const cpu_set_t *allowed)
{
    struct uat_crowding crowding = {.first = -1, .second = -1, .shared = -1, .unused = -1};
    cpu_set_t used, rest;
    int workers = 0;
    CPU_ZERO(&used);
    for (int i = 0; i < n; i++)
        if (places[i]->machine == places[self]->machine && CPU_COUNT(&places[i]->cores) > 0) {
            CPU_OR(&used, &used, &places[i]->cores);
            workers++;
        }
    crowding.oversubscribed = workers > CPU_COUNT(&used);
    CPU_AND(&rest, &used, allowed);
    CPU_XOR(&rest, &rest, allowed); /* allowed, but unused */
    for (int i = 0; i < n && crowding.first < 0; i++) {
        int other, cores = CPU_COUNT(&places[i]->cores);
        if (places[i]->machine != places[self]->machine || cores == 0 || count_equal(places, n, i, &other) <= cores)
            continue;
        crowding.oversubscribed = true;
        if (CPU_COUNT(&rest) == 0)
            break;
        crowding.first = i < other ? i : other;
        crowding.second = i < other ? other : i;
        crowding.shared = first_core(&places[i]->cores);
        crowding.unused = first_core(&rest);
    }
    return crowding;
}

bool uat_binding_report(const struct uat_binding *const *places, int n, int self, bool advise)
{
    cpu_set_t allowed;
    bool over_quota = quota.workers > 1 && quota.workers > quota.cores;
    if (!find_allowed(&allowed))
        return over_quota;
    struct uat_crowding crowding = uat_binding_judge(places, n, self, &allowed);
    int first = 0; /* the lowest rank of each machine reports for its machine */
    while (places[first]->machine != places[self]->machine)
        first++;
    if (advise && crowding.first >= 0 && first == self)
        uat_warn("ranks %d and %d share core %d while core %d has no worker; let the launcher bind each to a core of "
                 "its own (srun --cpu-bind=cores, mpirun --bind-to core) or not at all",
                 crowding.first, crowding.second, crowding.shared, crowding.unused);
    if (over_quota && first == self)
        uat_warn("%d workers share a quota of %.2f cores (%s); more workers than cores do not make a job faster: start "
                 "at most %d here, or raise the quota",
                 quota.workers, quota.cores, quota.limit, quota.cores < 2 ? 1 : (int)quota.cores);
    return over_quota || crowding.oversubscribed;
}
