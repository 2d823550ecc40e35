/* SPDX-License-Identifier: MIT */
/* The settings of the transport over verbs: see base/settings.h. A build without verbs reads them too. */
#ifndef UAT_IBV_SETTINGS_H
#define UAT_IBV_SETTINGS_H

#include "base/settings.h"

enum uat_connect { UAT_CONNECT_WORKER, UAT_CONNECT_HOST, UAT_CONNECT_RDMACM };
enum uat_neighbours { UAT_NEIGHBOURS_CPU, UAT_NEIGHBOURS_ADAPTER };
enum uat_regions { UAT_REGIONS_OWN, UAT_REGIONS_SHARED };
enum uat_subnet { UAT_SUBNET_SAME, UAT_SUBNET_ANY };
enum uat_post { UAT_POST_CHAIN, UAT_POST_ALONE };

struct uat_ibv_settings {
    char device[64];   /* "": choose */
    int port;          /* port of the device; 0: choose */
    int gid_index;     /* -1: choose */
    int service_level; /* 0..15 */
    int traffic_class; /* 0..255; -1: that of the port (take_port_defaults() of device.c) */
    int pkey;          /* -1: choose */
    int subnet;        /* enum uat_subnet */
    int retries;       /* number of repetitions of an unanswered request; 7: forever on Soft-RoCE */
    int timeout;       /* a request is repeated after 4.096 us << timeout; 0: that of the kind of port */
    int post;          /* enum uat_post */
    int connect;       /* enum uat_connect */
    int neighbours;    /* enum uat_neighbours */
    int regions;       /* enum uat_regions */
};
extern struct uat_ibv_settings uat_ibv_settings;

#ifdef UAT_SETTINGS_ROWS
#define IBV(member) UAT_FIELD(struct uat_ibv_settings, member)
static const struct uat_setting uat_ibv_device_parts[] = {
    {"device", "any", UAT_MAY_DIFFER, IBV(device), UAT_NAME_OR("any"),
     "name of the device, as in the list of ibv_devices"},
    {"port", "any", UAT_MAY_DIFFER, IBV(port), UAT_NUMBER_OR(1, 255, {"any", 0}), "its port"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_ibv_path_parts[] = {
    {"sl", "0", UAT_MAY_DIFFER, IBV(service_level), UAT_NUMBER(0, 15), "InfiniBand service level"},
    {"tc", "auto", UAT_MAY_DIFFER, IBV(traffic_class), UAT_NUMBER_OR(0, 255, {"auto", (uint64_t)-1}),
     "traffic class; auto: on Ethernet the one that the administrator set for RDMA, else 106; on InfiniBand 0"},
    {"pkey", "first", UAT_MAY_DIFFER, IBV(pkey), UAT_NUMBER_OR(0, 0xffff, {"first", (uint64_t)-1}),
     "partition key; first: the first key that makes the port a full member, else the port's first key"},
    {"subnet", "same", UAT_MAY_DIFFER, IBV(subnet), UAT_CHOICE({"same", UAT_SUBNET_SAME}, {"any", UAT_SUBNET_ANY}),
     "network of a worker's port; same: it must be rank 0's; any: with RoCE v2, also a network that routers connect to "
     "rank 0's"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_ibv_retry_parts[] = {
    {"count", "6", UAT_MAY_DIFFER, IBV(retries), UAT_NUMBER(0, 7),
     "number of repetitions before the job ends; 7 is forever on Soft-RoCE"},
    /* The field has 5 bits. For an adapter 0 means forever; here it means auto. */
    {"timeout", "auto", UAT_MAY_DIFFER, IBV(timeout), UAT_NUMBER_OR(1, 31, {"auto", 0}),
     "time before each repetition: 4.096 us x 2 to this power; auto: 18 (1.1 s) on Ethernet, 19 (2.1 s) on InfiniBand"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_ibv_connect_parts[] = {
    {"by", "host", UAT_MAY_DIFFER, IBV(connect),
     UAT_CHOICE({"worker", UAT_CONNECT_WORKER}, {"host", UAT_CONNECT_HOST}, {"rdmacm", UAT_CONNECT_RDMACM}),
     "worker: one connection to each worker; host: one to each host; rdmacm: like host, but made by librdmacm"},
    {"neighbours", "cpu", UAT_MAY_DIFFER, IBV(neighbours),
     UAT_CHOICE({"cpu", UAT_NEIGHBOURS_CPU}, {"adapter", UAT_NEIGHBOURS_ADAPTER}),
     "who READs and WRITEs the segments of this host's workers, with one connection per host"},
    {"regions", "own", UAT_MAY_DIFFER, IBV(regions),
     UAT_CHOICE({"own", UAT_REGIONS_OWN}, {"shared", UAT_REGIONS_SHARED}),
     "who registers the segments of a host; own: each worker; shared: one worker for all, if the driver supports it "
     "(mlx5)"},
    {"post", "chain", UAT_MAY_DIFFER, IBV(post), UAT_CHOICE({"chain", UAT_POST_CHAIN}, {"alone", UAT_POST_ALONE}),
     "how to post a chain that starts with an atomic; chain: as one list; alone: the atomic, then the rest"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_ibv_rows[] = {
    {"UAT_NET_DEVICES", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PAIR(uat_ibv_device_parts), "the adapter and its port"},
    {"UAT_GID_INDEX", "auto", UAT_MAY_DIFFER, IBV(gid_index), UAT_NUMBER_OR(0, 255, {"auto", (uint64_t)-1}),
     "index of the port's GID; auto: the library chooses"},
    {"UAT_IB_PATH", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_ibv_path_parts),
     "where a connection's packets go, and how the network treats them"},
    {"UAT_IB_RETRY", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_ibv_retry_parts),
     "repetitions of a request that is not answered"},
    {"UAT_CONNECT", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_ibv_connect_parts),
     "connections between workers"},
    UAT_LAST_SETTING,
};
#endif

#endif
