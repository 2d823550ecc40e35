/* SPDX-License-Identifier: MIT */
/* The protection domain, the thread domain, and the segment's region for the local side of this worker's operations. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/cure.h"

/*
 * A thread domain tells the driver that one thread posts and polls. So mlx5 takes no lock to post, and gives the worker
 * a doorbell page of its own. If the driver has no thread domains, or the adapter has no page left, the queues use the
 * plain protection domain.
 */
static void open_thread(struct uat_ibv *ibv)
{
    struct ibv_td_init_attr none = {0};
    ibv->thread = ibv_alloc_td(ibv->context, &none);
    struct ibv_parent_domain_init_attr both = {.pd = ibv->pd, .td = ibv->thread};
    ibv->queue_pd = ibv->thread ? ibv_alloc_parent_domain(ibv->context, &both) : NULL;
    uat_info("queue pairs on %s: %s", ibv->port.device,
             ibv->queue_pd ? "in a thread domain, so that posting takes no lock" : "the driver gives no thread domain");
    if (!ibv->queue_pd)
        ibv->queue_pd = ibv->pd;
}

/*
 * Register the segment for the local side of this worker's own operations. Peers cannot access the segment through this
 * region; they use the regions of pool.c. The region needs no order: uat looks at a landing place only when the
 * completion has arrived, and "a completion still ensures that all data is visible" (ibv_reg_mr(3)). In relaxed order
 * the data of READs moves up to twice as fast through the PCIe of some hosts. libibverbs clears the flag if the kernel
 * does not know it.
 */
static int register_segment(struct uat_ibv *ibv)
{
    ibv->mr =
        ibv_reg_mr(ibv->pd, ibv->segment, ibv->segment_size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
    if (ibv->mr)
        return 0;
    int error = errno ? errno : EIO;
    uat_error("cannot register the segment, %zu KiB at %p, with %s: %s; %s", ibv->segment_size / 1024, ibv->segment,
              ibv->port.device, strerror(error), uat_ibv_region_cure(ibv->pd, ibv->segment, ibv->segment_size, error));
    return -error;
}

int uat_ibv_domains_open(struct uat_ibv *ibv)
{
    if (!ibv->pd)
        ibv->pd = ibv_alloc_pd(ibv->context);
    if (!ibv->pd) {
        int rc = -errno;
        uat_error("cannot allocate a protection domain on %s: %s; %s", ibv->port.device, strerror(-rc),
                  uat_ibv_cure(UAT_IBV_RESOURCE_OTHER, -rc));
        return rc;
    }
    open_thread(ibv);
    return register_segment(ibv);
}

void uat_ibv_domains_close(struct uat_ibv *ibv)
{
    if (ibv->mr)
        ibv_dereg_mr(ibv->mr);
    if (ibv->queue_pd && ibv->queue_pd != ibv->pd)
        ibv_dealloc_pd(ibv->queue_pd);
    if (ibv->thread)
        ibv_dealloc_td(ibv->thread);
    /* If this worker is the first of a group, other workers may still use its domain. In that case the kernel frees the
     * domain with the last process. */
    if (ibv->pd && ibv->pool.shared)
        ibv_unimport_pd(ibv->pd);
    else if (ibv->pd)
        ibv_dealloc_pd(ibv->pd);
    ibv->mr = NULL;
    ibv->queue_pd = ibv->pd = NULL;
    ibv->thread = NULL;
}
