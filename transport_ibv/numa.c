/* SPDX-License-Identifier: MIT */
#include "transport_ibv/devices.h"

#include <sched.h>
#include <stdio.h>

enum { DISTANCE_LOCAL = 10, DISTANCE_FAR = 20 }; /* as in the ACPI tables */

int uat_numa_node_of_device(const char *device)
{
    char path[160];
    int node = -1;
    snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/numa_node", device);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%d", &node) != 1)
        node = -1;
    fclose(file);
    return node;
}

int uat_numa_distance(int node)
{
    unsigned here = 0;
    if (node < 0 || getcpu(NULL, &here))
        return DISTANCE_FAR;
    char path[96];
    snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/distance", here);
    FILE *file = fopen(path, "re");
    int distance = (unsigned)node == here ? DISTANCE_LOCAL : DISTANCE_FAR;
    for (int i = 0, value; file && fscanf(file, "%d", &value) == 1; i++)
        if (i == node) /* the file has one number per node, in the order of the nodes */
            distance = value;
    if (file)
        fclose(file);
    return distance;
}
