/* SPDX-License-Identifier: MIT */
/*
 * Groups: the workers of one host that use one adapter. They map and register each other's segments, so a connection to
 * any of them reaches all. A segment's atomic words belong to one adapter, so the workers of two adapters form two
 * groups. The workers of two pid namespaces also form two groups, since they cannot attach each other's segments.
 *
 * The worker at place k of its group has a connection to itself, and one to place k modulo n of each other group of n
 * workers. Both directions share a connection. If two groups differ in size, a worker of the smaller group may have
 * several connections to the larger one.
 */
#ifndef UAT_IBV_GROUP_H
#define UAT_IBV_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/secret.h"
#include "transport/attach_info.h"
#include "transport_ibv/address.h"

enum { UAT_IBV_ATTACH_INFO_MAGIC = 0x75617443, UAT_IBV_ATTACH_INFO_VERSION = 3 };

/* What a worker shows to all workers in the first round. This info and rank 0's determine which of its addresses the
 * worker takes. */
struct uat_ibv_attach_info {
    uint32_t magic, version;
    uint16_t alone;                 /* 1: the worker is a group of its own (UAT_CONNECT=worker) */
    uint16_t subnet;                /* enum uat_subnet */
    uint32_t addresses;             /* used elements of `address`, at least 1; only these are shown */
    struct uat_secret token;        /* the job's token in rank 0's attach info; zero in the others */
    struct uat_attach_info segment; /* all zero if alone */
    struct uat_ibv_address address[UAT_IBV_ADDRESSES_MAX]; /* best first */
};

struct uat_ibv_groups {
    int size;     /* workers; the arrays `of` and `place` have an element for each */
    int count;    /* groups; the arrays `workers` and `first` have an element for each */
    int *of;      /* the group of a worker */
    int *place;   /* a worker's place in its group: 0 for the lowest rank */
    int *workers; /* how many workers a group has */
    int *first;   /* a group's lowest rank */
    int apart[2]; /* two workers that differ in their PID namespace alone; both 0: there are none */
};

/* Returns how many bytes of the info are shown. */
size_t uat_ibv_attach_info_size(const struct uat_ibv_attach_info *info);

/* Copy what rank `rank` showed, and check it. 0 or -EPROTO, reported. */
int uat_ibv_attach_info_read(struct uat_ibv_attach_info *info, const struct uat_endpoint *shown, int rank);

/* Sort the workers into groups; infos[i] is what rank i showed. 0, or a negative errno, reported. */
int uat_ibv_groups_open(struct uat_ibv_groups *groups, const struct uat_endpoint *infos, int size);
void uat_ibv_groups_close(struct uat_ibv_groups *groups);

/* How many workers use the adapter of rank `rank` on its host? infos[i] is what rank i showed. */
int uat_ibv_groups_sharing(const struct uat_endpoint *infos, int size, int rank);

/* Is there a connection between these two workers? Each has one to itself. */
bool uat_ibv_groups_connect(const struct uat_ibv_groups *groups, int a, int b);

/* How many connections all workers of the group of worker `worker` have together. */
int64_t uat_ibv_groups_connections(const struct uat_ibv_groups *groups, int worker);

/* Does worker a reach b's group through the connection to b? */
bool uat_ibv_groups_is_gateway(const struct uat_ibv_groups *groups, int a, int b);

#endif
