/* SPDX-License-Identifier: MIT */
#include "transport_ibv/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/cure.h"
#include "transport_ibv/devices.h"
#include "transport_ibv/gid.h"

enum {
    GID_BITS = 128,
    IPV4_BITS = 96, /* number of bits before the IPv4 address in a GID: ::ffff:a.b.c.d */
    SUBNET_BITS = 64
};

static unsigned ones(const void *mask, size_t bytes)
{
    const uint8_t *byte = mask;
    unsigned n = 0;
    while (n < 8 * bytes && byte[n / 8] >> (7 - n % 8) & 1)
        n++;
    return n;
}

/* If the GID is the interface's address: the prefix length of the interface's network in the GID; for IPv4 it includes
 * the IPV4_BITS bits before the address. Otherwise 0. */
static unsigned bits_of_interface(const struct ifaddrs *interface, const union ibv_gid *gid, bool ipv4)
{
    const struct sockaddr *address = interface->ifa_addr, *mask = interface->ifa_netmask;
    if (!address || !mask || address->sa_family != (ipv4 ? AF_INET : AF_INET6))
        return 0;
    if (ipv4) {
        const struct sockaddr_in *in = (const void *)address, *in_mask = (const void *)mask;
        bool same = memcmp(&in->sin_addr, gid->raw + IPV4_BITS / 8, sizeof(in->sin_addr)) == 0;
        return same ? IPV4_BITS + ones(&in_mask->sin_addr, sizeof(in_mask->sin_addr)) : 0;
    }
    const struct sockaddr_in6 *in6 = (const void *)address, *in6_mask = (const void *)mask;
    bool same = memcmp(&in6->sin6_addr, gid->raw, sizeof(in6->sin6_addr)) == 0;
    return same ? ones(&in6_mask->sin6_addr, sizeof(in6_mask->sin6_addr)) : 0;
}

unsigned uat_ibv_network_bits(const struct ibv_gid_entry *gid)
{
    enum uat_ibv_gid_kind kind = uat_ibv_gid_kind_of(gid);
    struct ifaddrs *interfaces;
    unsigned bits = 0;
    if (kind == UAT_IBV_GID_IB)
        return SUBNET_BITS;
    if ((kind != UAT_IBV_GID_V2_IPV4 && kind != UAT_IBV_GID_V2_IPV6) || getifaddrs(&interfaces))
        return 0;
    for (const struct ifaddrs *i = interfaces; i && !bits; i = i->ifa_next)
        bits = bits_of_interface(i, &gid->gid, kind == UAT_IBV_GID_V2_IPV4);
    freeifaddrs(interfaces);
    return bits;
}

static bool tells_network(const struct ibv_gid_entry *gid)
{
    enum uat_ibv_gid_kind kind = uat_ibv_gid_kind_of(gid);
    return kind == UAT_IBV_GID_V2_IPV4 || kind == UAT_IBV_GID_V2_IPV6;
}

int uat_ibv_addresses_add(struct uat_ibv_address *list, int *n, const struct uat_ibv_port *port,
                          const struct ibv_gid_entry *gids, int gid_count, int index,
                          unsigned (*bits)(const struct ibv_gid_entry *), char *why, size_t size)
{
    int best = uat_ibv_gid_choose(gids, gid_count, port->attr.gid_tbl_len, index, why, size);
    if (best < 0)
        return best;
    for (int k = -1; k < gid_count && *n < UAT_IBV_ADDRESSES_MAX; k++) {
        const struct ibv_gid_entry *gid = &gids[k < 0 ? best : k];
        if (k >= 0 && (k == best || index >= 0 || !tells_network(gid)))
            continue;
        struct uat_ibv_address *a = &list[(*n)++];
        *a = (struct uat_ibv_address){.port = (uint8_t)port->number,
                                      .link_layer = port->attr.link_layer,
                                      .gid_kind = (uint8_t)uat_ibv_gid_kind_of(gid),
                                      .bits = (uint8_t)bits(gid),
                                      .gid_index = gid->gid_index,
                                      .gid = gid->gid};
        memcpy(a->device, port->device, sizeof(a->device));
    }
    return 0;
}

/* Read the GIDs of a port. If an InfiniBand port has by_sysfs set, read only its first GID. The caller must free
 * *gids. */
static int read_gids(const struct uat_ibv_port *port, struct ibv_gid_entry **gids, int *count)
{
    if (!port->by_sysfs) {
        struct ibv_context *context = uat_ibv_context_use(port->device);
        return context ? uat_ibv_gids_list(context, port->number, gids, count) : -errno;
    }
    *count = 1;
    *gids = calloc(1, sizeof(**gids));
    if (*gids && uat_ibv_sysfs_gid(port->path, port->number, *gids))
        return 0;
    int rc = *gids ? -ENODATA : -ENOMEM;
    free(*gids);
    return rc;
}

static int add_port(struct uat_ibv_address *list, int *n, const struct uat_ibv_port *port, int index, char *why,
                    size_t size)
{
    struct ibv_gid_entry *gids;
    char reason[512];
    int count, rc = read_gids(port, &gids, &count);
    if (rc) {
        snprintf(why, size, "the GID table of %s:%d cannot be read: %s; %s", port->device, port->number, strerror(-rc),
                 uat_ibv_cure(UAT_IBV_RESOURCE_OTHER, -rc));
    } else {
        rc = uat_ibv_addresses_add(list, n, port, gids, count, index, uat_ibv_network_bits, reason, sizeof(reason));
        if (rc)
            snprintf(why, size, "%s:%d: %s", port->device, port->number, reason);
        free(gids);
    }
    return rc;
}

int uat_ibv_addresses_list(const struct uat_ibv_settings *wish, struct uat_ibv_address list[UAT_IBV_ADDRESSES_MAX],
                           int *n, char *why, size_t size)
{
    struct uat_ibv_port *ports;
    char by[640], reason[640], failed[640] = "";
    int left, best, rc = uat_ibv_ports_list(&ports, &left), error = 0;
    *n = 0;
    if (rc) {
        snprintf(why, size, "the verbs devices cannot be listed: %s; %s", strerror(-rc),
                 uat_ibv_cure(UAT_IBV_RESOURCE_OTHER, -rc));
        return rc;
    }
    while ((best = uat_ibv_port_choose(ports, left, wish, by, sizeof(by))) >= 0) {
        bool first = *n == 0;
        /* This worker will probably take the first port. So open the device of that port to check that the port is
         * usable. For any other InfiniBand port, the GID in /sys suffices. If the worker later takes such a port, which
         * is rare, it queries the device then. */
        if (ports[best].by_sysfs &&
            (first || ports[best].attr.link_layer != IBV_LINK_LAYER_INFINIBAND || wish->gid_index >= 0)) {
            uat_ibv_port_complete(&ports[best]);
            continue;
        }
        rc = add_port(list, n, &ports[best], wish->gid_index, reason, sizeof(reason));
        if (first && !rc)
            snprintf(why, size, "%s%s%s", by, error ? "; a better one cannot be used: " : "", failed);
        if (first && rc && !error) { /* report the best port's failure */
            error = rc;
            snprintf(failed, sizeof(failed), "%s", reason);
            snprintf(why, size, "%s", reason);
        }
        memmove(&ports[best], &ports[best + 1], (size_t)(--left - best) * sizeof(*ports));
    }
    if (!*n && !error) {
        error = best;
        snprintf(why, size, "%s", by);
    }
    free(ports);
    return *n ? 0 : error;
}

static bool same_kind(const struct uat_ibv_address *a, const struct uat_ibv_address *b)
{
    return a->link_layer == b->link_layer && a->gid_kind == b->gid_kind;
}

/* Is the address in the network of `first`? The prefix length is that of `first`. */
static bool in_network(const struct uat_ibv_address *a, const struct uat_ibv_address *first)
{
    unsigned whole = first->bits / 8, rest = first->bits % 8;
    if (!same_kind(a, first) || first->bits > GID_BITS || memcmp(a->gid.raw, first->gid.raw, whole))
        return false;
    return !rest || !((a->gid.raw[whole] ^ first->gid.raw[whole]) >> (8 - rest));
}

int uat_ibv_address_choose(const struct uat_ibv_address *list, int n, const struct uat_ibv_address *first, int subnet)
{
    bool routed = first->gid_kind == UAT_IBV_GID_V2_IPV4 || first->gid_kind == UAT_IBV_GID_V2_IPV6;
    for (int i = 0; i < n; i++)
        if (in_network(&list[i], first))
            return i;
    for (int i = 0; i < n && routed && subnet == UAT_SUBNET_ANY; i++)
        if (same_kind(&list[i], first))
            return i;
    return -1;
}

const char *uat_ibv_network_text(const struct uat_ibv_address *a, char text[UAT_IBV_NETWORK_TEXT])
{
    char prefix[INET6_ADDRSTRLEN] = "?";
    union ibv_gid network = a->gid;
    bool ipv4 = a->gid_kind == UAT_IBV_GID_V2_IPV4;
    unsigned skipped = ipv4 ? IPV4_BITS : 0;
    for (unsigned bit = a->bits; bit < GID_BITS; bit++)
        network.raw[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
    if (a->bits <= skipped) {
        snprintf(text, UAT_IBV_NETWORK_TEXT, "%s", uat_ibv_gid_kind_name((enum uat_ibv_gid_kind)a->gid_kind));
        return text;
    }
    inet_ntop(ipv4 ? AF_INET : AF_INET6, network.raw + skipped / 8, prefix, sizeof(prefix));
    snprintf(text, UAT_IBV_NETWORK_TEXT, "%s%s/%u", a->gid_kind == UAT_IBV_GID_IB ? "subnet " : "", prefix,
             a->bits - skipped);
    return text;
}
