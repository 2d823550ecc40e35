/* SPDX-License-Identifier: MIT */
/* How far a device is from the core that asks. */
#ifndef UAT_IBV_NUMA_H
#define UAT_IBV_NUMA_H

/* The NUMA node of a verbs device; -1 = unknown, as on hosts with one node and for software devices. */
int uat_numa_node_of_device(const char *device);

/* The kernel's distance between the node of the calling core and a node; of an unknown node, 20: as if far. */
int uat_numa_distance(int node);

#endif
