/* SPDX-License-Identifier: MIT */
/* The ports of this host's verbs devices: what each port can do, and which one a worker takes. */
#ifndef UAT_IBV_PORT_H
#define UAT_IBV_PORT_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>

#include "transport_ibv/settings.h"

enum { UAT_IBV_REFUSAL_TEXT = 384 };

/* What carries out a device's 8-byte atomics, and against which other accesses they are atomic. */
enum uat_ibv_atomics {
    UAT_IBV_ATOMICS_NONE,
    UAT_IBV_ATOMICS_HCA, /* the adapter, atomic among its own atomics only */
    UAT_IBV_ATOMICS_PCIE /* the root complex, atomic against the CPU's too; a later READ may pass them */
};

/* One port and what is known about it. */
struct uat_ibv_port {
    char device[64];
    char path[IBV_SYSFS_PATH_MAX]; /* folder of the device in /sys */
    int number;                    /* from 1 */
    bool by_sysfs; /* the device was not opened yet; of the fields from device_attr to rate only attr.state,
                      attr.link_layer and rate are valid, from /sys */
    int error;     /* errno of opening or querying the device; 0: the fields below are valid */
    bool asked;    /* the device was opened, so that `error` is that of a query */
    struct ibv_device_attr_ex device_attr;
    struct ibv_port_attr attr;
    enum uat_ibv_atomics atomics;
    unsigned rate; /* Mbit/s */
    int numa_node; /* node of the device; -1 = unknown */
    int distance;  /* from the calling core to that node, as the kernel states it; 10 = the same node */
};

/* List all ports of all devices; *n is 0 if there is none. Only a device about which /sys says too little is opened, so
 * most ports are known by /sys only (by_sysfs). The caller frees *out. 0 or a negative errno. */
int uat_ibv_ports_list(struct uat_ibv_port **out, int *n);

/* If the port is known by /sys only, open its device (contexts.h) and ask it. */
void uat_ibv_port_complete(struct uat_ibv_port *port);

/* Returns why uat cannot use a port, as text in buffer, or NULL if uat can use it. A port that is known by /sys only
 * may be found unusable later. */
const char *uat_ibv_port_refusal(const struct uat_ibv_port *port, char *buffer, size_t size);

/*
 * Choose one of the usable ports among n. InfiniBand goes before Ethernet; then the higher rate, the nearer NUMA node
 * and the earlier place in the list decide. wish: only its device and port matter; NULL: no wish. Returns the index
 * with the reason in why, or -ENODEV with what is wrong with each port in why.
 */
int uat_ibv_port_choose(const struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why,
                        size_t size);

/* Choose a port as above, and ask its device whether it can be used. Opens one device, or more if devices turn out to
 * be unusable. */
int uat_ibv_port_find(struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why, size_t size);

/* Find out where port->device sits: fills numa_node and distance. */
void uat_ibv_port_place(struct uat_ibv_port *port);

/* Query an open device and its port number port->number. Returns 0, or an errno if the results in *port are not
 * valid. */
int uat_ibv_port_ask(struct ibv_context *context, struct uat_ibv_port *port);

/* The kind of 8-byte atomics that a device has. */
enum uat_ibv_atomics uat_ibv_atomics_of(const struct ibv_device_attr_ex *attr);
const char *uat_ibv_atomics_name(enum uat_ibv_atomics atomics);
const char *uat_ibv_link_name(int link_layer);

/* Rate of a port in Mbit/s from the codes of width and speed; 0 = unknown. */
unsigned uat_ibv_rate(int width, int speed);

#endif
