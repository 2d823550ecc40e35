/* SPDX-License-Identifier: MIT */
/* The entries of a port's GID table, and which of them a worker uses. */
#ifndef UAT_IBV_GID_H
#define UAT_IBV_GID_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Kinds of entries, best first. */
enum uat_ibv_gid_kind {
    UAT_IBV_GID_V2_IPV4,
    UAT_IBV_GID_V2_IPV6,
    UAT_IBV_GID_V2_LINK_LOCAL,
    UAT_IBV_GID_V1,
    UAT_IBV_GID_IB
};

enum { UAT_IBV_GID_TEXT = 64 };

enum uat_ibv_gid_kind uat_ibv_gid_kind_of(const struct ibv_gid_entry *entry);
const char *uat_ibv_gid_kind_name(enum uat_ibv_gid_kind kind);
/* Store two values in *out, in network order: the IP address that a GID of this kind contains, and `port`. Returns 0,
 * or -EINVAL if the GID contains no IP address. */
int uat_ibv_gid_address(const union ibv_gid *gid, int kind, uint16_t port, struct sockaddr_storage *out);
const char *uat_ibv_gid_text(const union ibv_gid *gid, char text[UAT_IBV_GID_TEXT]);

/* List the filled entries of a port's table, ordered by index. The caller must free *out. */
int uat_ibv_gids_list(struct ibv_context *context, int port, struct ibv_gid_entry **out, int *n);

/*
 * Choose one of the n filled entries of a port's GID table. The table has table_size entries. wish: UAT_GID_INDEX. If
 * wish is -1, choose the lowest index of the best kind. Returns the position in `entries`, or -EINVAL with the reason
 * in `why`.
 */
int uat_ibv_gid_choose(const struct ibv_gid_entry *entries, int n, int table_size, int wish, char *why, size_t size);

#endif
