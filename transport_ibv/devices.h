/* SPDX-License-Identifier: MIT */
/* The verbs devices of this host: their contexts, and what the kernel knows about them. */
#ifndef UAT_IBV_DEVICES_H
#define UAT_IBV_DEVICES_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/*
 * The verbs devices of this host, and the contexts of the opened devices. Opening a device takes milliseconds and
 * resources of the adapter (mlx5: 8 doorbell pages). So while a worker looks for its port, it lists the devices once,
 * and opens each device at most once. For one thread only.
 */

/* Returns the array of the host's devices, and sets *n to their number. The array is valid until
 * uat_ibv_contexts_close(). On failure returns NULL and sets errno. */
struct ibv_device *const *uat_ibv_devices(int *n);

/* Returns the context of a device, open until uat_ibv_contexts_close(). On failure returns NULL and sets errno. */
struct ibv_context *uat_ibv_context_use(const char *name);

/* Returns the context of a device. The caller must close it. On failure returns NULL and sets errno. */
struct ibv_context *uat_ibv_context_take(const char *name);

void uat_ibv_contexts_close(void);

/* Properties of a port from the kernel's files, without opening its device. The kernel's
 * Documentation/ABI/stable/sysfs-class-infiniband describes the files. */

/* Number of ports of a device; 0: unknown. path: the device's folder (ibv_device.ibdev_path). */
int uat_ibv_sysfs_ports(const char *path);

/* Set attr->state, attr->link_layer and *mbit, the rate in Mbit/s. Returns false if one of the three is unknown. */
bool uat_ibv_sysfs_port(const char *path, int port, struct ibv_port_attr *attr, unsigned *mbit);

/* Read the first GID of an InfiniBand port. Returns false if the GID is unknown. */
bool uat_ibv_sysfs_gid(const char *path, int port, struct ibv_gid_entry *out);

/* The traffic class that the administrator has set for all RDMA of an Ethernet port, as by `echo 106 >
 * tc/1/traffic_class` in the device's folder (mlx5 of MLNX_OFED). -1: none. */
int uat_ibv_sysfs_traffic_class(const char *path, int port);

/* The NUMA distance between a device and the calling core. */

/* The NUMA node of a verbs device. -1 means unknown, as on hosts with one node and for software devices. */
int uat_numa_node_of_device(const char *device);

/* The distance between the calling core's node and `node`, as the kernel gives it; else 10 if they are the same, and 20
 * if not. An unknown node has distance 20, which means far. */
int uat_numa_distance(int node);

#endif
