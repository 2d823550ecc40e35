/* SPDX-License-Identifier: MIT */
/* Properties of a port from the kernel's files, without opening its device. The kernel's
 * Documentation/ABI/stable/sysfs-class-infiniband describes the files. */
#ifndef UAT_IBV_SYSFS_H
#define UAT_IBV_SYSFS_H

#include <infiniband/verbs.h>

#include <stdbool.h>

/* Number of ports of a device; 0: unknown. path: the device's folder (ibv_device.ibdev_path). */
int uat_ibv_sysfs_ports(const char *path);

/* Set attr->state, attr->link_layer and *mbit, the rate in Mbit/s. Returns false if one of the three is unknown. */
bool uat_ibv_sysfs_port(const char *path, int port, struct ibv_port_attr *attr, unsigned *mbit);

/* Read the first GID of an InfiniBand port. Returns false if the GID is unknown. */
bool uat_ibv_sysfs_gid(const char *path, int port, struct ibv_gid_entry *out);

/* The traffic class that the administrator has set for all RDMA of an Ethernet port, as by `echo 106 >
 * tc/1/traffic_class` in the device's folder (mlx5 of MLNX_OFED). -1: none. */
int uat_ibv_sysfs_traffic_class(const char *path, int port);

#endif
