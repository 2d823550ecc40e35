/* SPDX-License-Identifier: MIT */
#include "transport_ibv/host.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/log.h"

/* Does this process have CAP_IPC_LOCK? If so, the kernel does not limit the process's locked memory. */
static bool may_lock_all(void)
{
    char line[128];
    uint64_t capabilities = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (!file)
        return false;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "CapEff: %" SCNx64, &capabilities) == 1)
            break;
    fclose(file);
    return capabilities >> CAP_IPC_LOCK & 1;
}

uint64_t uat_memlock_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY || may_lock_all())
        return UINT64_MAX;
    return limit.rlim_cur;
}

int uat_memlock_check(uint64_t needed)
{
    uint64_t limit = uat_memlock_limit();
    if (needed <= limit)
        return 0;
    uat_error("a worker must lock %" PRIu64 " KiB of memory, but RLIMIT_MEMLOCK is %" PRIu64 " KiB; " UAT_MEMLOCK_ADVICE
              "; or make UAT_STACK_SIZE and UAT_HEAP_SIZE smaller",
              (needed + 1023) / 1024, limit / 1024);
    return -ENOMEM;
}
