/* SPDX-License-Identifier: MIT */
/* How far a device is from the calling core. */
#ifndef UAT_IBV_NUMA_H
#define UAT_IBV_NUMA_H

/* The NUMA node of a verbs device; -1 = unknown, as on hosts with one node and for software devices. */
int uat_numa_node_of_device(const char *device);

/* The kernel's distance between the calling core's node and `node`. An unknown node counts as far: 20. */
int uat_numa_distance(int node);

#endif
