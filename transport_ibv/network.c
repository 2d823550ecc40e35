/* SPDX-License-Identifier: MIT */
/* Switches each worker to the network of rank 0. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "transport_ibv/rdmacm.h"

static void list_networks(const struct uat_ibv *ibv, char *text, size_t size)
{
    char network[UAT_IBV_NETWORK_TEXT];
    size_t used = 0;
    for (int i = 0; i < ibv->address_count && used < size; i++) {
        const struct uat_ibv_address *a = &ibv->addresses[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s:%d in %s", i ? ", " : "", a->device, a->port,
                                 uat_ibv_network_text(a, network));
    }
}

static int refuse(const struct uat_ibv *ibv, const struct uat_ibv_address *first, const char *host)
{
    char own[512], network[UAT_IBV_NETWORK_TEXT];
    list_networks(ibv, own, sizeof(own));
    uat_error("no port of rank %d (%s) lies in the network of rank 0 (%s), %s:%d in %s; here are %s; name a port of a "
              "common network with UAT_NET_DEVICES%s",
              ibv->base.rank, ibv->host, host ? host : "?", first->device, first->port,
              uat_ibv_network_text(first, network), own,
              first->link_layer == IBV_LINK_LAYER_ETHERNET
                  ? ", or set UAT_IB_PATH=subnet=any if routers join the networks"
                  : "");
    return -EHOSTUNREACH;
}

int uat_ibv_network_join(struct uat_ibv *ibv, const struct uat_endpoint *infos)
{
    struct uat_ibv_attach_info first;
    char network[UAT_IBV_NETWORK_TEXT];
    int rc = uat_ibv_attach_info_read(&first, &infos[0], 0);
    if (rc)
        return rc;
    int chosen = uat_ibv_address_choose(ibv->addresses, ibv->address_count, &first.address[0], ibv->settings.subnet);
    if (chosen < 0)
        return refuse(ibv, &first.address[0], infos[0].host);
    if (!chosen)
        return 0;
    const struct uat_ibv_address *address = &ibv->addresses[chosen];
    uat_info("verbs port %s:%d, to be in the network of rank 0: %s", address->device, address->port,
             uat_ibv_network_text(&first.address[0], network));
    uat_ibv_rdmacm_close(ibv);
    uat_ibv_device_close(ibv);
    rc = uat_ibv_device_open_at(ibv, address);
    if (!rc && ibv->settings.connect == UAT_CONNECT_RDMACM)
        rc = uat_ibv_rdmacm_listen(ibv);
    return rc;
}
