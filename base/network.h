/* SPDX-License-Identifier: MIT */
/* The settings of the network, as the transports take them. base/options.c reads them from the environment. */
#ifndef UAT_NETWORK_H
#define UAT_NETWORK_H

enum { UAT_NETWORK_DEVICE_MAX = 64 /* bytes, the 0 at the end included */ };

enum uat_connect { UAT_CONNECT_WORKER, UAT_CONNECT_HOST, UAT_CONNECT_RDMACM };

enum uat_subnet { UAT_SUBNET_SAME, UAT_SUBNET_ANY };

enum uat_neighbours { UAT_NEIGHBOURS_CPU, UAT_NEIGHBOURS_ADAPTER };

enum uat_post { UAT_POST_CHAIN, UAT_POST_ALONE };

struct uat_network {
    char device[UAT_NETWORK_DEVICE_MAX]; /* UAT_NET_DEVICES; "" = choose */
    int port;                            /* ... its port; 0 = choose */
    int gid_index;                       /* UAT_GID_INDEX; -1 = choose */
    int service_level;                   /* UAT_IB_SL: 0..15 */
    int traffic_class;                   /* UAT_IB_TRAFFIC_CLASS: 0..255 */
    int pkey;                            /* UAT_IB_PKEY; -1 = index 0 */
    int connect;                         /* UAT_CONNECT: enum uat_connect */
    int subnet;                          /* UAT_IB_SUBNET: enum uat_subnet */
    int timeout;                         /* UAT_IB_TIMEOUT: 4.096 us << timeout until a request is repeated */
    int retries;                         /* UAT_IB_RETRY_CNT: how often; 7: for ever on Soft-RoCE */
    int post;                            /* UAT_IB_POST: enum uat_post */
    int neighbours;                      /* UAT_IB_NEIGHBOURS: enum uat_neighbours */
    int wait_report, wait_limit;         /* UAT_STALL_TIMEOUT, UAT_STALL_LIMIT: seconds for a peer's step; 0: no end */
};

#endif
