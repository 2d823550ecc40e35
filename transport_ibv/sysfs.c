/* SPDX-License-Identifier: MIT */
#include "transport_ibv/devices.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MBIT_PER_GBIT = 1000, PORTS_MAX = 255 };

/* Read the first line of a file of a port. folder: "ports" or "tc". Returns false if the file cannot be read. */
static bool read_line(const char *path, const char *folder, int port, const char *name, char *line, int size)
{
    char file_name[512];
    snprintf(file_name, sizeof(file_name), "%s/%s/%d/%s", path, folder, port, name);
    FILE *file = fopen(file_name, "re");
    bool got = file && fgets(line, size, file);
    if (file)
        fclose(file);
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got;
}

int uat_ibv_sysfs_ports(const char *path)
{
    char folder[512];
    int n = 0;
    do
        snprintf(folder, sizeof(folder), "%s/ports/%d", path, n + 1);
    while (n < PORTS_MAX && access(folder, F_OK) == 0 && ++n);
    return n;
}

bool uat_ibv_sysfs_port(const char *path, int port, struct ibv_port_attr *attr, unsigned *mbit)
{
    char state[64], link[64], rate[64];
    int number;
    double gbit; /* from a rate such as "200 Gb/sec (4X HDR)" or "2.5 Gb/sec (1X SDR)" */
    if (!read_line(path, "ports", port, "state", state, sizeof(state)) ||
        !read_line(path, "ports", port, "link_layer", link, sizeof(link)) ||
        !read_line(path, "ports", port, "rate", rate, sizeof(rate)) || sscanf(state, "%d:", &number) != 1 ||
        sscanf(rate, "%lf", &gbit) != 1 || gbit < 0)
        return false;
    bool infiniband = strcmp(link, "InfiniBand") == 0;
    if (!infiniband && strcmp(link, "Ethernet") != 0)
        return false;
    attr->state = (enum ibv_port_state)number;
    attr->link_layer = infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
    *mbit = (unsigned)(gbit * MBIT_PER_GBIT);
    return true;
}

bool uat_ibv_sysfs_gid(const char *path, int port, struct ibv_gid_entry *out)
{
    char line[64];
    *out = (struct ibv_gid_entry){.port_num = (uint32_t)port, .gid_type = IBV_GID_TYPE_IB};
    return read_line(path, "ports", port, "gids/0", line, sizeof(line)) &&
           inet_pton(AF_INET6, line, out->gid.raw) == 1 && out->gid.global.interface_id != 0;
}

int uat_ibv_sysfs_traffic_class(const char *path, int port)
{
    char line[64];
    int number;
    bool known = read_line(path, "tc", port, "traffic_class", line, sizeof(line)) &&
                 sscanf(line, "Global tclass=%d", &number) == 1 && number >= 0 && number <= 255;
    return known ? number : -1;
}
