/* SPDX-License-Identifier: MIT */
#include "transport_ibv/cure.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport_ibv/host.h"

const char *uat_ibv_cure(enum uat_ibv_resource resource, int error)
{
    if (error == EACCES || error == EPERM)
        return "see the mode of /dev/infiniband/uverbs*, and what the container allows";
    if (resource == UAT_IBV_RESOURCE_OTHER || (error != ENOMEM && error != EAGAIN && error != ENOSPC))
        return "look for messages of the adapter's driver (`dmesg`)";
    if (resource == UAT_IBV_RESOURCE_DEVICE)
        return "each process takes several of the adapter's pages for doorbells (UARs), and none may be left: use "
               "fewer "
               "workers on a host, or enlarge them (mlx5: PF_LOG_BAR_SIZE in `mlxconfig`, then reboot); `dmesg` shows "
               "ALLOC_UAR";
    if (uat_memlock_limit() != UINT64_MAX)
        return "it counts as locked memory, and RLIMIT_MEMLOCK may be too small: " UAT_MEMLOCK_ADVICE;
    /* EAGAIN is the error of the kernel's rdmacg_try_charge(). */
    return "locked memory is unlimited here, so a limit of the adapter, or of a container (rdma.max in its cgroup), "
           "for "
           "all processes of this host is reached: use fewer workers on a host; `dmesg` shows what the driver refused";
}

static bool registers(struct ibv_pd *pd, void *address, size_t bytes, int access)
{
    struct ibv_mr *mr = ibv_reg_mr(pd, address, bytes, access);
    return mr && !ibv_dereg_mr(mr);
}

const char *uat_ibv_region_cure(struct ibv_pd *pd, void *address, size_t bytes, int error)
{
    int strict = IBV_ACCESS_LOCAL_WRITE;
    if (error != EINVAL || registers(pd, address, bytes, strict) ||
        !registers(pd, address, bytes, strict | IBV_ACCESS_RELAXED_ORDERING))
        return uat_ibv_cure(UAT_IBV_RESOURCE_REGION, error);
    return "this adapter registers memory only with relaxed ordering, " UAT_IBV_RELAXED;
}
