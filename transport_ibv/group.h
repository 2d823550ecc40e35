/* SPDX-License-Identifier: MIT */
/*
 * A group: the workers of one host that use one adapter. The workers of a group map and register each other's segments.
 * So a connection to one of them reaches all their segments. Only one adapter may change the atomic words of a segment,
 * so workers with different adapters are in different groups. Workers in different pid namespaces cannot attach each
 * other's segments, so they are in different groups, too.
 *
 * The worker at place k of its group has a connection to itself. It also has a connection to one worker of each other
 * group: the worker at place k modulo n, where n is the size of that other group. Both directions share a connection.
 * If two groups differ in size, a worker of the smaller group may have several connections to the larger group.
 */
#ifndef UAT_IBV_GROUP_H
#define UAT_IBV_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/secret.h"
#include "transport/attach_info.h"
#include "transport_ibv/address.h"

enum { UAT_IBV_ATTACH_INFO_MAGIC = 0x75617443, UAT_IBV_ATTACH_INFO_VERSION = 3 };

/* The attach info that a worker publishes in the first round. A worker's attach info and rank 0's attach info determine
 * which of its addresses the worker takes. */
struct uat_ibv_attach_info {
    uint32_t magic, version;
    uint16_t alone;                 /* 1: the worker is a group of its own (UAT_CONNECT=worker) */
    uint16_t subnet;                /* enum uat_subnet */
    uint32_t addresses;             /* number of valid addresses in `address`, at least 1; the worker publishes only
                                     * these */
    struct uat_secret token;        /* in rank 0's attach info: the job's token; in all others: zero */
    struct uat_attach_info segment; /* all zero if alone */
    struct uat_ibv_address address[UAT_IBV_ADDRESSES_MAX]; /* best first */
};

struct uat_ibv_groups {
    int size;      /* number of workers, and of elements of `of` and `place` */
    int count;     /* number of groups, and of elements of `workers` and `first` */
    int *of;       /* the group of a worker */
    int *place;    /* a worker's place in its group; the lowest rank has place 0 */
    int *workers;  /* the number of workers of a group */
    int *first;    /* a group's lowest rank */
    bool has_lone; /* some worker is a group of its own (UAT_CONNECT=worker) */
    int apart[2];  /* two workers that differ only in their PID namespace; both 0: there are none */
};

/* The number of bytes of `info` that the worker publishes. */
size_t uat_ibv_attach_info_size(const struct uat_ibv_attach_info *info);

/* Copy the attach info that rank `rank` published to *info, and check it. Returns 0, or -EPROTO after reporting the
 * error. */
int uat_ibv_attach_info_read(struct uat_ibv_attach_info *info, const struct uat_endpoint *shown, int rank);

/* Divide the workers into groups. infos[i] is rank i's attach info. Returns 0, or a negative errno after reporting the
 * error. */
int uat_ibv_groups_open(struct uat_ibv_groups *groups, const struct uat_endpoint *infos, int size);
void uat_ibv_groups_close(struct uat_ibv_groups *groups);

/* The number of workers that use the adapter of rank `rank` on its host. infos[i] is rank i's attach info. */
int uat_ibv_groups_sharing(const struct uat_endpoint *infos, int size, int rank);

/* Is there a connection between these two workers? Each worker has a connection to itself. */
bool uat_ibv_groups_connect(const struct uat_ibv_groups *groups, int a, int b);

/* The total number of connections that the workers in the group of `worker` have. */
int64_t uat_ibv_groups_connections(const struct uat_ibv_groups *groups, int worker);

/* Does worker a reach b's group through the connection to b? */
bool uat_ibv_groups_is_gateway(const struct uat_ibv_groups *groups, int a, int b);

#endif
