/* SPDX-License-Identifier: MIT */
/* The NUMA distance between a device and the calling core. */
#ifndef UAT_IBV_NUMA_H
#define UAT_IBV_NUMA_H

/* The NUMA node of a verbs device. -1 means unknown, as on hosts with one node and for software devices. */
int uat_numa_node_of_device(const char *device);

/* The distance between the calling core's node and `node`, as the kernel gives it; else 10 if they are the same, and 20
 * if not. An unknown node has distance 20, which means far. */
int uat_numa_distance(int node);

#endif
