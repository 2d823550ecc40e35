/* SPDX-License-Identifier: MIT */
/*
 * The addresses of a worker. An address is a usable port, a GID of that port, and the network in which peers reach the
 * port. All workers of a job must be in one network, unless the subnet of UAT_IB_PATH is "any". Rank 0 takes its best
 * address. The network of this address is the job's network. Every other worker takes its best address in that network.
 *
 * The network of an InfiniBand port is its subnet: the first half of the GID. The network of a RoCE v2 GID is its IP
 * network, with the prefix length of the interface's address. Link-local and RoCE v1 GIDs name no network. So all
 * link-local GIDs count as one network, and all RoCE v1 GIDs count as another one.
 */
#ifndef UAT_IBV_ADDRESS_H
#define UAT_IBV_ADDRESS_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport_ibv/port.h"

enum {
    UAT_IBV_ADDRESSES_MAX = 16, /* maximum number of addresses of one worker; further ones are ignored */
    UAT_IBV_NETWORK_TEXT = 64
};

struct uat_ibv_address {
    char device[64];
    uint8_t port, link_layer;
    uint8_t gid_kind; /* enum uat_ibv_gid_kind */
    uint8_t bits;     /* prefix length of the network in the GID; 0: unknown, or the kind names no network */
    uint32_t gid_index;
    union ibv_gid gid;
};

/* The prefix length of a GID's network. For RoCE v2 the length comes from this host's interfaces. Returns 0 if no
 * interface has the GID, or if the GID's kind names no network. */
unsigned uat_ibv_network_bits(const struct ibv_gid_entry *gid);

/*
 * Append the addresses of one port to `list`. The list has *n addresses now, and room for UAT_IBV_ADDRESSES_MAX. The
 * first appended address has the GID that uat_ibv_gid_choose() chooses. index: UAT_GID_INDEX. If index is -1, further
 * addresses follow: one for each other RoCE v2 GID that names a network. `bits` is uat_ibv_network_bits, or a test's
 * replacement. Returns 0. If no GID is usable, returns -EINVAL with the reason in `why`.
 */
int uat_ibv_addresses_add(struct uat_ibv_address *list, int *n, const struct uat_ibv_port *port,
                          const struct ibv_gid_entry *gids, int gid_count, int index,
                          unsigned (*bits)(const struct ibv_gid_entry *), char *why, size_t size);

/* List the addresses of all usable ports that the settings allow, best first. On success returns 0, sets *n > 0, and
 * writes to `why` why the first address is the best. Otherwise returns a negative errno, and writes the cause to
 * `why`. */
int uat_ibv_addresses_list(const struct uat_ibv_settings *wish, struct uat_ibv_address list[UAT_IBV_ADDRESSES_MAX],
                           int *n, char *why, size_t size);

/* Returns the index of the first address in the list that is in the network of `first` (rank 0's address), or -1 if
 * there is none. `subnet` is that of UAT_IB_PATH. If it is UAT_SUBNET_ANY, routers connect the networks. In that case,
 * if no address is in rank 0's network, returns the first address in another IP network. */
int uat_ibv_address_choose(const struct uat_ibv_address *list, int n, const struct uat_ibv_address *first, int subnet);

/* The network of an address as text: "10.9.0.0/24", "subnet fe80::/64", "RoCE v1". */
const char *uat_ibv_network_text(const struct uat_ibv_address *a, char text[UAT_IBV_NETWORK_TEXT]);

#endif
