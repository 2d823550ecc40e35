/* SPDX-License-Identifier: MIT */
/*
 * The addresses of a worker: each is a port that it can use and a GID of that port, with the network in which peers
 * reach it. All workers of a job must be in one network. Rank 0 takes the best of its addresses, and the network of
 * that one is the job's; every other worker takes its best address in it.
 *
 * The network of an InfiniBand port is its subnet: the first half of the GID. That of RoCE v2 is the IP network of the
 * GID, whose prefix length is that of the interface's address. Link-local GIDs and RoCE v1 do not tell of networks: all
 * of a kind count as one.
 */
#ifndef UAT_IBV_ADDRESS_H
#define UAT_IBV_ADDRESS_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport_ibv/port.h"

enum {
    UAT_IBV_ADDRESSES_MAX = 16, /* of one worker: what is beyond them is not looked at */
    UAT_IBV_NETWORK_TEXT = 64
};

struct uat_ibv_address {
    char device[64];
    uint8_t port, link_layer;
    uint8_t gid_kind; /* enum uat_ibv_gid_kind */
    uint8_t bits;     /* of the GID, that are the network's; 0: unknown, or the kind does not tell */
    uint32_t gid_index;
    union ibv_gid gid;
};

/* The bits of a GID's network. Asks the interfaces of this host about a GID of RoCE v2; 0: none of them has it. */
unsigned uat_ibv_network_bits(const struct ibv_gid_entry *gid);

/*
 * Append the addresses of one port to list, which has *n of at most UAT_IBV_ADDRESSES_MAX: first the one that
 * uat_ibv_gid_choose() takes, then, if index is -1, all others of RoCE v2 that tell of a network. index: UAT_GID_INDEX.
 * bits: uat_ibv_network_bits, or that of a test. Returns 0, or -EINVAL if no GID can be used, and the reason in why.
 */
int uat_ibv_addresses_add(struct uat_ibv_address *list, int *n, const struct uat_ibv_port *port,
                          const struct ibv_gid_entry *gids, int gid_count, int index,
                          unsigned (*bits)(const struct ibv_gid_entry *), char *why, size_t size);

/* The addresses of all ports that can be used and are wished for, best first. 0 with *n > 0 and why the first one is,
 * or a negative errno and the reason in why. */
int uat_ibv_addresses_list(const struct uat_network *wish, struct uat_ibv_address list[UAT_IBV_ADDRESSES_MAX], int *n,
                           char *why, size_t size);

/* The first of the n addresses that lies in the network of rank 0's address; -1: none does. subnet: UAT_IB_SUBNET; with
 * UAT_SUBNET_ANY another IP network will do, if none lies in rank 0's, for routers join them. */
int uat_ibv_address_choose(const struct uat_ibv_address *list, int n, const struct uat_ibv_address *first, int subnet);

/* The network of an address as text: "10.9.0.0/24", "subnet fe80::/64", "RoCE v1". */
const char *uat_ibv_network_text(const struct uat_ibv_address *a, char text[UAT_IBV_NETWORK_TEXT]);

#endif
