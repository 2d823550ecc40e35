/* SPDX-License-Identifier: MIT */
/* The ports of this host's verbs devices: what each can do, and which one a worker takes. */
#ifndef UAT_IBV_PORT_H
#define UAT_IBV_PORT_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/network.h"

/* Who carries out a device's 8-byte atomics, and against whom they are atomic. */
enum uat_ibv_atomics {
    UAT_IBV_ATOMICS_NONE,
    UAT_IBV_ATOMICS_HCA, /* the adapter, atomic among its own atomics only */
    UAT_IBV_ATOMICS_PCIE /* the root complex, atomic against the CPU's too; a later READ may pass them */
};

/* One port as it was found. */
struct uat_ibv_port {
    char device[64];
    int number; /* from 1 */
    int error;  /* errno of opening or asking the device, 0: what follows is known */
    struct ibv_device_attr_ex device_attr;
    struct ibv_port_attr attr;
    enum uat_ibv_atomics atomics;
    unsigned rate; /* Mbit/s */
    int numa_node; /* of the device; -1 = unknown */
    int distance;  /* from the core that asks to that node, as the kernel states it; 10 = the same node */
};

/* List all ports of all devices; *n is 0 when there is none. *out is freed by the caller. 0 or a negative errno. */
int uat_ibv_ports_list(struct uat_ibv_port **out, int *n);

/* Why uat cannot use a port: text in buffer. NULL: it can. */
const char *uat_ibv_port_refusal(const struct uat_ibv_port *port, char *buffer, size_t size);

/*
 * Choose among n ports: usable; then InfiniBand before Ethernet, the higher rate, the nearer NUMA node, the earlier in
 * the list. wish: device and port are looked at; NULL without one. Returns the index and why it was taken, or -ENODEV
 * and what is wrong with each port.
 */
int uat_ibv_port_choose(const struct uat_ibv_port *ports, int n, const struct uat_network *wish, char *why,
                        size_t size);

/* Open a device by its name; NULL and errno. */
struct ibv_context *uat_ibv_open_named(const char *name);

/* Where port->device sits: numa_node and distance. */
void uat_ibv_port_place(struct uat_ibv_port *port);

/* Ask an open device about itself and about one port, port->number. 0 or an errno; then nothing has been learnt. */
int uat_ibv_port_ask(struct ibv_context *context, struct uat_ibv_port *port);

/* Which kind of atomics on 8 bytes a device has. */
enum uat_ibv_atomics uat_ibv_atomics_of(const struct ibv_device_attr_ex *attr);
const char *uat_ibv_atomics_name(enum uat_ibv_atomics atomics);
const char *uat_ibv_link_name(int link_layer);

/* Rate of a port in Mbit/s from the codes of width and speed; 0 = unknown. */
unsigned uat_ibv_rate(int width, int speed);

#endif
