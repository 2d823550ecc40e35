/* SPDX-License-Identifier: MIT */
#include "transport_ibv/share.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/relax.h"

enum { LOOKS = 1000 /* polls between two checks that the first worker is alive */ };

static bool is_wanted(const struct uat_ibv *ibv)
{
    return ibv->settings.regions == UAT_REGIONS_SHARED && ibv->settings.connect == UAT_CONNECT_HOST &&
           ibv->neighbour_count > 1;
}

bool uat_ibv_share_leads(const struct uat_ibv *ibv)
{
    return is_wanted(ibv) && ibv->neighbours[0] == ibv->base.rank;
}

bool uat_ibv_share_follows(const struct uat_ibv *ibv)
{
    return is_wanted(ibv) && ibv->neighbours[0] != ibv->base.rank;
}

/* Duplicate a descriptor of another process, as dup(2) does for a descriptor of this process. Opening /proc/PID/fd/N
 * would open the device once more. Linux has pidfd_getfd() since 5.6. A kernel that can share a domain is newer. */
static int take_descriptor(int process, int fd)
{
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    if (handle < 0)
        return -1;
    int own = (int)syscall(SYS_pidfd_getfd, handle, fd, 0);
    int error = errno;
    close(handle);
    errno = error;
    return own;
}

/* Import the domain `pd` of an open device into a context of this process. The new context owns the descriptor. On
 * failure returns NULL and sets errno. In that case the descriptor is not closed here, because some failures have
 * already closed it. */
static struct ibv_pd *import(int fd, uint32_t pd)
{
    struct ibv_context *context = ibv_import_device(fd);
    struct ibv_pd *imported = context ? ibv_import_pd(context, pd) : NULL;
    int error = errno;
    if (context && !imported)
        ibv_close_device(context);
    errno = error;
    return imported;
}

int uat_ibv_share_try(const struct ibv_pd *pd)
{
    errno = 0;
    struct ibv_pd *imported = import(dup(pd->context->cmd_fd), pd->handle);
    if (!imported)
        return errno ? errno : EOPNOTSUPP;
    struct ibv_context *context = imported->context;
    ibv_unimport_pd(imported);
    ibv_close_device(context);
    return 0;
}

void uat_ibv_share_offer(struct uat_ibv *ibv, bool shared)
{
    struct uat_ibv_offer *offer = &ibv->scratch->offer;
    if (shared) {
        /* By default, Yama lets only ancestors take descriptors. Without Yama, this call fails but is not needed. */
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        offer->fd = ibv->context->cmd_fd;
        offer->pd = ibv->pd->handle;
        memcpy(offer->key, ibv->pool.key, sizeof(offer->key));
    }
    /* Release: a worker that sees the state sees the offer. Pairs with the load in wait_for_offer(). */
    __atomic_store_n(&offer->state, shared ? UAT_IBV_OFFER_SHARED : UAT_IBV_OFFER_NONE, __ATOMIC_RELEASE);
}

/* Wait for the first worker's offer. NULL: the first worker offers nothing, or has ended. */
static const struct uat_ibv_offer *wait_for_offer(const struct uat_ibv *ibv, int leader)
{
    const char *words = ibv->pool.row[UAT_IBV_WORDS]; /* the words of the first worker are the first ones in the row */
    size_t offset = (size_t)((const char *)&ibv->scratch->offer - (const char *)ibv->segment) - ibv->read_only;
    const struct uat_ibv_offer *offer = (const struct uat_ibv_offer *)(const void *)(words + offset);
    struct uat_relax relax = {0};
    uint32_t state;
    /* Acquire: orders the load of the state before the loads of the offer. Pairs with the store in
     * uat_ibv_share_offer(). */
    for (int i = 1; !(state = __atomic_load_n(&offer->state, __ATOMIC_ACQUIRE)); i++) {
        if (i % LOOKS == 0 && kill(leader, 0) && errno == ESRCH)
            return NULL;
        uat_relax_long(&relax);
    }
    return state == UAT_IBV_OFFER_SHARED ? offer : NULL;
}

int uat_ibv_share_take(struct uat_ibv *ibv, int leader)
{
    const struct uat_ibv_offer *offer = wait_for_offer(ibv, leader);
    if (!offer)
        return 0;
    int fd = take_descriptor(leader, offer->fd);
    struct ibv_pd *pd = fd < 0 ? NULL : import(fd, offer->pd);
    if (!pd) {
        uat_info("this worker registers the segments of its host itself: the open device of rank %d cannot be used: %s",
                 ibv->neighbours[0], strerror(errno));
        return 0;
    }
    ibv_close_device(ibv->context);
    ibv->context = pd->context;
    ibv->pd = pd;
    memcpy(ibv->pool.key, offer->key, sizeof(offer->key));
    ibv->pool.shared = true;
    return uat_ibv_events_open(ibv->context, ibv->port.device);
}

void uat_ibv_share_end(const struct uat_ibv *ibv)
{
    if (uat_ibv_share_leads(ibv))
        prctl(PR_SET_PTRACER, 0);
}
