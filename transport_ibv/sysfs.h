/* SPDX-License-Identifier: MIT */
/* What the kernel's files say about a port, without opening its device. The files are those of the kernel's document
 * Documentation/ABI/stable/sysfs-class-infiniband. */
#ifndef UAT_IBV_SYSFS_H
#define UAT_IBV_SYSFS_H

#include <infiniband/verbs.h>

#include <stdbool.h>

/* Number of ports of a device whose folder is `path` (ibv_device.ibdev_path); 0: unknown. */
int uat_ibv_sysfs_ports(const char *path);

/* Fill attr->state and attr->link_layer of a port, and its rate in Mbit/s. False: one of them is unknown. */
bool uat_ibv_sysfs_port(const char *path, int port, struct ibv_port_attr *attr, unsigned *mbit);

/* Read the first GID of a port of InfiniBand. False: it is unknown. */
bool uat_ibv_sysfs_gid(const char *path, int port, struct ibv_gid_entry *out);

#endif
