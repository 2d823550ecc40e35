/* SPDX-License-Identifier: MIT */
/* Opening the chosen port: context and addresses. */
#include "transport_ibv/ibv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/cure.h"
#include "transport_ibv/devices.h"
#include "transport_ibv/gid.h"
#include "transport_ibv/host.h"
#include "transport_ibv/order.h"

static int find_addresses(struct uat_ibv *ibv)
{
    char why[640], network[UAT_IBV_NETWORK_TEXT];
    int rc = uat_ibv_addresses_list(&ibv->settings, ibv->addresses, &ibv->address_count, why, sizeof(why));
    if (rc) {
        uat_error("no verbs device can be used: %s; `uat_info` lists what is there; on one host UAT_TRANSPORT=shm runs "
                  "without one",
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
    ibv->context = uat_ibv_context_take(port->device);
    if (!ibv->context)
        port->error = errno ? errno : ENODEV;
    else
        port->error = uat_ibv_port_ask(ibv->context, port);
    if (port->error) {
        uat_error("verbs port %s:%d cannot be %s any more: %s; %s", port->device, port->number,
                  port->asked ? "queried" : "opened", strerror(port->error),
                  uat_ibv_cure(port->asked ? UAT_IBV_RESOURCE_OTHER : UAT_IBV_RESOURCE_DEVICE, port->error));
        return -port->error;
    }
    char why[UAT_IBV_REFUSAL_TEXT];
    if (!uat_ibv_port_refusal(port, why, sizeof(why)))
        return 0;
    uat_error("verbs port %s:%d, which is in the network of rank 0, cannot be used: %s; name another port with "
              "UAT_NET_DEVICES",
              port->device, port->number, why);
    return -ENODEV;
}

static int take_gid(struct uat_ibv *ibv, const struct uat_ibv_address *address)
{
    struct ibv_gid_entry *entries;
    char why[512], text[UAT_IBV_GID_TEXT];
    int n, rc = uat_ibv_gids_list(ibv->context, ibv->port.number, &entries, &n);
    if (rc) {
        uat_error("cannot read the GID table of %s:%d: %s; %s", ibv->port.device, ibv->port.number, strerror(-rc),
                  uat_ibv_cure(UAT_IBV_RESOURCE_OTHER, -rc));
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

/* The preference for a partition key: 0 if the key is unusable, 1 for a limited member, 2 for a full member. Bit 15 of
 * a key says that the port is a full member. Limited members do not reach each other. The other bits are the partition;
 * 0 means no partition. */
static int pkey_rank(uint16_t key, int wish)
{
    if (!(key & 0x7fff) || (wish >= 0 && (key & 0x7fff) != (wish & 0x7fff)))
        return 0;
    return key & 0x8000 ? 2 : 1;
}

/* Take the first key that makes the port a full member. If there is none, take the first key. If UAT_IB_PATH names a
 * partition, only the keys of this partition count. */
static int choose_pkey(struct uat_ibv *ibv)
{
    int wish = ibv->settings.pkey, best = 0;
    const struct uat_ibv_port *port = &ibv->port;
    for (int i = 0; i < port->attr.pkey_tbl_len && best < 2; i++) {
        uint16_t raw;
        errno = 0;
        if (ibv_query_pkey(ibv->context, (uint8_t)port->number, i, &raw)) {
            int error = errno ? errno : EIO;
            uat_error("cannot read the partition keys of %s:%d: %s; %s", port->device, port->number, strerror(error),
                      uat_ibv_cure(UAT_IBV_RESOURCE_OTHER, error));
            return -error;
        }
        int rank = pkey_rank(ntohs(raw), wish);
        if (rank <= best)
            continue;
        best = rank;
        ibv->pkey = ntohs(raw);
        ibv->pkey_index = (uint16_t)i;
    }
    if (best) {
        uat_info("partition key 0x%04x, index %d of %s:%d%s", ibv->pkey, ibv->pkey_index, port->device, port->number,
                 best == 1 ? ", of a limited member, which reaches full members only" : "");
        return 0;
    }
    if (wish < 0)
        uat_error("%s:%d has no partition key: is its subnet manager running? See "
                  "/sys/class/infiniband/%s/ports/%d/pkeys",
                  port->device, port->number, port->device, port->number);
    else
        uat_error("UAT_IB_PATH=pkey=0x%04x is not among the %d partition keys of %s:%d; see "
                  "/sys/class/infiniband/%s/ports/%d/pkeys",
                  wish, port->attr.pkey_tbl_len, port->device, port->number, port->device, port->number);
    return -EINVAL;
}

/* Keep the segment's pages at the device after a fork. On old kernels, copy-on-write would move the pages away. */
static int prepare_fork(void)
{
    if (ibv_is_fork_initialized() != IBV_FORK_DISABLED)
        return 0;
    int rc = ibv_fork_init();
    if (rc)
        uat_error(
            "ibv_fork_init, which keeps registered memory whole after fork(): %s; call uat_init() before anything "
            "registers memory",
            strerror(rc));
    return -rc;
}

static int refuse_relaxed(const struct uat_ibv *ibv)
{
    if (!uat_ibv_keys_are_relaxed(ibv->context))
        return 0;
    uat_error("%s gives all memory keys relaxed ordering, " UAT_IBV_RELAXED, ibv->port.device);
    return -ENOTSUP;
}

/* Service levels are the same in the whole fabric, so rank 0 warns for all workers. */
static void warn_of_unordered_level(const struct uat_ibv *ibv)
{
    unsigned level = ibv->settings.service_level;
    if (ibv->base.rank != 0 || ibv->port.attr.link_layer != IBV_LINK_LAYER_INFINIBAND)
        return;
    uint16_t levels = uat_ibv_unordered_levels(ibv->context, ibv->port.number);
    if (levels >> level & 1)
        uat_warn(
            "%s:%d delivers service level %u out of order, because the fabric routes it adaptively: a steal may take "
            "a round trip more, which `uat-steal` shows; UAT_IB_PATH=sl=N takes a level that is not in the mask "
            "0x%04x",
            ibv->port.device, ibv->port.number, level, levels);
}

/*
 * Replace the settings `auto` by the values for this port.
 *
 * timeout: a busy fabric, a reroute or a flap of a port may take 5 s and more. With 6 repetitions Ethernet allows
 * 6.4 s, and InfiniBand allows 13 s. On Ethernet that loses packets, each lost last packet of an operation costs one
 * timeout, so the timeout is smaller there. InfiniBand loses no packets while its links are up.
 *
 * Traffic class: networks that keep RoCE lossless do so for one class. Without a value in /sys take 106, the most
 * common one (DSCP 26, ECN), as UCX does.
 */
static void take_port_defaults(struct uat_ibv *ibv)
{
    enum { TIMEOUT_ETHERNET = 18, TIMEOUT_INFINIBAND = 19, TRAFFIC_CLASS = 106 };
    bool ethernet = ibv->port.attr.link_layer == IBV_LINK_LAYER_ETHERNET;
    ibv->settings.timeout = uat_ibv_settings.timeout;
    ibv->settings.traffic_class = uat_ibv_settings.traffic_class;
    if (!ibv->settings.timeout)
        ibv->settings.timeout = ethernet ? TIMEOUT_ETHERNET : TIMEOUT_INFINIBAND;
    if (ibv->settings.traffic_class >= 0)
        return;
    ibv->settings.traffic_class =
        ethernet ? uat_ibv_sysfs_traffic_class(ibv->context->device->ibdev_path, ibv->port.number) : 0;
    if (ibv->settings.traffic_class < 0)
        ibv->settings.traffic_class = TRAFFIC_CLASS;
    if (ethernet)
        uat_info("traffic class %d on %s:%d (UAT_IB_PATH=tc=N)", ibv->settings.traffic_class, ibv->port.device,
                 ibv->port.number);
}

int uat_ibv_device_open(struct uat_ibv *ibv)
{
    int rc = prepare_fork();
    if (!rc)
        rc = find_addresses(ibv);
    if (!rc)
        return uat_ibv_device_open_at(ibv, &ibv->addresses[0]);
    uat_ibv_contexts_close();
    return rc;
}

int uat_ibv_device_open_at(struct uat_ibv *ibv, const struct uat_ibv_address *address)
{
    int rc = uat_memlock_check(ibv->segment_size);
    if (!rc)
        rc = take_port(ibv, address);
    uat_ibv_contexts_close(); /* closes the devices that this worker does not take */
    if (rc)
        return rc;
    take_port_defaults(ibv);
    rc = uat_ibv_events_open(ibv->context, ibv->port.device);
    if (rc)
        return rc;
    rc = take_gid(ibv, address);
    if (!rc)
        rc = refuse_relaxed(ibv);
    if (!rc)
        rc = choose_pkey(ibv);
    if (!rc)
        rc = uat_ibv_limits_check_segment(ibv);
    if (rc)
        return rc;
    warn_of_unordered_level(ibv);
    return 0;
}

void uat_ibv_device_close(struct uat_ibv *ibv)
{
    if (ibv->context)
        ibv_close_device(ibv->context);
    ibv->context = NULL;
}
