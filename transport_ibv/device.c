/* SPDX-License-Identifier: MIT */
/* Opening the chosen port: context, protection domain, addresses, memory region. */
#include "transport_ibv/ibv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/memlock.h"
#include "transport_ibv/numa.h"

static int find_addresses(struct uat_ibv *ibv)
{
    char why[640], network[UAT_IBV_NETWORK_TEXT];
    int rc = uat_ibv_addresses_list(&ibv->settings, ibv->addresses, &ibv->address_count, why, sizeof(why));
    if (rc) {
        uat_error("no verbs device can be used: %s; `uat_info` lists what is there, UAT_TRANSPORT=shm runs without one",
                  why);
        return rc;
    }
    uat_info("verbs port %s:%d in %s: %s", ibv->addresses[0].device, ibv->addresses[0].port,
             uat_ibv_network_text(&ibv->addresses[0], network), why);
    return 0;
}

/* Open the device of an address and query the port. The device stays open. */
static int take_port(struct uat_ibv *ibv, const struct uat_ibv_address *address)
{
    struct uat_ibv_port *port = &ibv->port;
    *port = (struct uat_ibv_port){.number = address->port};
    snprintf(port->device, sizeof(port->device), "%s", address->device);
    uat_ibv_port_place(port);
    errno = 0;
    ibv->context = uat_ibv_open_named(port->device);
    if (!ibv->context)
        port->error = errno ? errno : ENODEV;
    else
        port->error = uat_ibv_port_ask(ibv->context, port);
    if (port->error)
        uat_error("verbs port %s:%d cannot be used any more: %s", port->device, port->number, strerror(port->error));
    return -port->error;
}

static int take_gid(struct uat_ibv *ibv, const struct uat_ibv_address *address)
{
    struct ibv_gid_entry *entries;
    char why[512], text[UAT_IBV_GID_TEXT];
    int n, rc = uat_ibv_gids_list(ibv->context, ibv->port.number, &entries, &n);
    if (rc) {
        uat_error("cannot read the GID table of %s:%d: %s", ibv->port.device, ibv->port.number, strerror(-rc));
        return rc;
    }
    int chosen = uat_ibv_gid_choose(entries, n, ibv->port.attr.gid_tbl_len, (int)address->gid_index, why, sizeof(why));
    if (chosen < 0) {
        uat_error("%s:%d: GID index %u is gone", ibv->port.device, ibv->port.number, address->gid_index);
        rc = chosen;
    } else {
        ibv->gid = entries[chosen];
        ibv->gid_index = (int)entries[chosen].gid_index;
        uat_info("GID index %d of %s:%d: %s %s", ibv->gid_index, ibv->port.device, ibv->port.number,
                 uat_ibv_gid_kind_name(uat_ibv_gid_kind_of(&ibv->gid)), uat_ibv_gid_text(&ibv->gid.gid, text));
    }
    free(entries);
    return rc;
}

static int choose_pkey(struct uat_ibv *ibv)
{
    int wish = ibv->settings.pkey;
    for (int i = 0; i < ibv->port.attr.pkey_tbl_len; i++) {
        uint16_t raw;
        if (ibv_query_pkey(ibv->context, (uint8_t)ibv->port.number, i, &raw))
            break;
        ibv->pkey = ntohs(raw);
        ibv->pkey_index = (uint16_t)i;
        /* Bit 15 distinguishes full members from limited ones. The other bits are the partition; 0 is no partition. */
        if (wish < 0 || ((ibv->pkey & 0x7fff) && (ibv->pkey & 0x7fff) == (wish & 0x7fff)))
            return 0;
    }
    if (wish < 0)
        uat_error("the partition key table of %s:%d cannot be read", ibv->port.device, ibv->port.number);
    else
        uat_error("UAT_IB_PATH=pkey=0x%04x is not among the %d partition keys of %s:%d; see "
                  "/sys/class/infiniband/%s/ports/%d/pkeys",
                  wish, ibv->port.attr.pkey_tbl_len, ibv->port.device, ibv->port.number, ibv->port.device,
                  ibv->port.number);
    return -EINVAL;
}

/* Keep copy-on-write after a fork from moving the segment's pages away from the device, as it does on old kernels. */
static int prepare_fork(void)
{
    if (ibv_is_fork_initialized() != IBV_FORK_DISABLED)
        return 0;
    int rc = ibv_fork_init();
    if (rc)
        uat_error("ibv_fork_init: %s; something registered memory before uat did", strerror(rc));
    return -rc;
}

/*
 * Register the segment for the local side of this worker's own operations. Peers cannot access it through this region;
 * their windows are in neighbour.c.
 */
static int register_segment(struct uat_ibv *ibv)
{
    ibv->mr = ibv_reg_mr(ibv->pd, ibv->segment, ibv->segment_size, IBV_ACCESS_LOCAL_WRITE);
    if (ibv->mr)
        return 0;
    int error = errno ? errno : EIO;
    if (error == ENOMEM || error == EAGAIN)
        uat_error(
            "cannot register the segment, %zu KiB, with %s: %s; if RLIMIT_MEMLOCK is too small, " UAT_MEMLOCK_ADVICE,
            ibv->segment_size / 1024, ibv->port.device, strerror(error));
    else
        uat_error("cannot register the segment, %zu KiB at %p, with %s: %s", ibv->segment_size / 1024, ibv->segment,
                  ibv->port.device, strerror(error));
    return -error;
}

int uat_ibv_device_open(struct uat_ibv *ibv)
{
    int rc = prepare_fork();
    if (!rc)
        rc = find_addresses(ibv);
    return rc ? rc : uat_ibv_device_open_at(ibv, &ibv->addresses[0]);
}

int uat_ibv_device_open_at(struct uat_ibv *ibv, const struct uat_ibv_address *address)
{
    int rc = uat_memlock_check(ibv->segment_size);
    if (!rc)
        rc = take_port(ibv, address);
    if (rc)
        return rc;
    if (fcntl(ibv->context->async_fd, F_SETFL, fcntl(ibv->context->async_fd, F_GETFL) | O_NONBLOCK) < 0) {
        rc = -errno;
        uat_error("cannot make the event queue of %s non-blocking: %s", ibv->port.device, strerror(-rc));
        return rc;
    }
    rc = take_gid(ibv, address);
    if (!rc)
        rc = choose_pkey(ibv);
    if (!rc)
        rc = uat_ibv_limits_check_segment(ibv);
    if (rc)
        return rc;
    ibv->pd = ibv_alloc_pd(ibv->context);
    if (!ibv->pd) {
        rc = -errno;
        uat_error("cannot allocate a protection domain on %s: %s", ibv->port.device, strerror(errno));
        return rc;
    }
    return register_segment(ibv);
}

void uat_ibv_device_close(struct uat_ibv *ibv)
{
    if (ibv->mr)
        ibv_dereg_mr(ibv->mr);
    if (ibv->pd)
        ibv_dealloc_pd(ibv->pd);
    if (ibv->context)
        ibv_close_device(ibv->context);
    ibv->mr = NULL;
    ibv->pd = NULL;
    ibv->context = NULL;
}
