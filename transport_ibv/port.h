/* SPDX-License-Identifier: MIT */
/* The ports of this host's verbs devices: what each port can do, and which one a worker takes. */
#ifndef UAT_IBV_PORT_H
#define UAT_IBV_PORT_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>

#include "transport_ibv/settings.h"

enum { UAT_IBV_REFUSAL_TEXT = 384 };

/* Which unit executes a device's 8-byte atomics, and with respect to which other accesses they are atomic. */
enum uat_ibv_atomics {
    UAT_IBV_ATOMICS_NONE,
    UAT_IBV_ATOMICS_HCA, /* the adapter; its atomics are atomic only among themselves */
    UAT_IBV_ATOMICS_PCIE /* the root complex; its atomics are atomic also with respect to CPU atomics; a later READ may
                          * pass them */
};

/* A port and its known properties. */
struct uat_ibv_port {
    char device[64];
    char path[IBV_SYSFS_PATH_MAX]; /* folder of the device in /sys */
    int number;                    /* from 1 */
    bool by_sysfs; /* the device is not open yet. From device_attr to rate, only three fields are valid: attr.state,
                    * attr.link_layer and rate, all read from /sys */
    int error;     /* errno of opening or querying the device; 0: the fields below are valid */
    bool asked;    /* the device was opened and queried; `error` is the errno of a query */
    struct ibv_device_attr_ex device_attr;
    struct ibv_port_attr attr;
    enum uat_ibv_atomics atomics;
    unsigned rate; /* Mbit/s */
    int numa_node; /* node of the device; -1 = unknown */
    int distance;  /* distance from the calling core's node to numa_node, as the kernel gives it; 10 = the same node */
};

/* List all ports of all devices. Sets *n to the number of ports. Opens a device only if /sys does not describe it
 * sufficiently, so by_sysfs is set in most ports. The caller must free *out. Returns 0 or a negative errno. */
int uat_ibv_ports_list(struct uat_ibv_port **out, int *n);

/* If port->by_sysfs is set, open the port's device (devices.h) and query it. */
void uat_ibv_port_complete(struct uat_ibv_port *port);

/* Returns NULL if uat can use the port. Otherwise returns the reason as text in `buffer`. A port with by_sysfs set may
 * prove unusable later. */
const char *uat_ibv_port_refusal(const struct uat_ibv_port *port, char *buffer, size_t size);

/*
 * Choose a usable port among n. The first criterion that differs decides: InfiniBand before Ethernet; the higher rate;
 * the nearer NUMA node; the earlier position in the list. wish: only its device and port matter; NULL: no wish. Returns
 * the index, and writes the reason for the choice to `why`. If no port is usable, returns -ENODEV, and writes the
 * defect of each port to `why`.
 */
int uat_ibv_port_choose(const struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why,
                        size_t size);

/* Choose a port as uat_ibv_port_choose() does, and query its device to test that the port is usable. Opens one device,
 * or several if devices prove unusable. */
int uat_ibv_port_find(struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why, size_t size);

/* Set port->numa_node and port->distance. */
void uat_ibv_port_place(struct uat_ibv_port *port);

/* Query an open device and the port that *port names. Returns 0, or an errno if the results in *port are not valid. */
int uat_ibv_port_ask(struct ibv_context *context, struct uat_ibv_port *port);

/* The kind of 8-byte atomics that a device has. */
enum uat_ibv_atomics uat_ibv_atomics_of(const struct ibv_device_attr_ex *attr);
const char *uat_ibv_atomics_name(enum uat_ibv_atomics atomics);
const char *uat_ibv_link_name(int link_layer);

/* The rate of a port in Mbit/s, from the codes of width and speed; 0 = unknown. */
unsigned uat_ibv_rate(int width, int speed);

#endif
