/* SPDX-License-Identifier: MIT */
#include "transport_ibv/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/cure.h"
#include "transport_ibv/devices.h"

enum uat_ibv_atomics uat_ibv_atomics_of(const struct ibv_device_attr_ex *attr)
{
    /* Only the extended query reports PCIe atomics. If a device has GLOB but its driver reports no sizes, assume PCIe
     * atomics. A needless fence only costs time, but a missing fence breaks the order. */
    unsigned pci = attr->pci_atomic_caps.fetch_add & attr->pci_atomic_caps.compare_swap;
    if ((pci & IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP) || attr->orig_attr.atomic_cap == IBV_ATOMIC_GLOB)
        return UAT_IBV_ATOMICS_PCIE;
    return attr->orig_attr.atomic_cap == IBV_ATOMIC_HCA ? UAT_IBV_ATOMICS_HCA : UAT_IBV_ATOMICS_NONE;
}

const char *uat_ibv_atomics_name(enum uat_ibv_atomics atomics)
{
    static const char *const names[] = {"none", "HCA", "PCIe"};
    return names[atomics];
}

const char *uat_ibv_link_name(int link_layer)
{
    switch (link_layer) {
    case IBV_LINK_LAYER_INFINIBAND:
        return "InfiniBand";
    case IBV_LINK_LAYER_ETHERNET:
        return "Ethernet";
    default:
        return "unspecified";
    }
}

unsigned uat_ibv_rate(int width, int speed)
{
    static const struct {
        int code;
        unsigned factor;
    } widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}},
      speeds[] = {{1, 2500}, {2, 5000}, {4, 10000}, {8, 10000}, {16, 14063}, {32, 25781}, {64, 53125}, {128, 106250}};
    unsigned lanes = 0, lane = 0;
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
        if (widths[i].code == width)
            lanes = widths[i].factor;
    for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++)
        if (speeds[i].code == speed)
            lane = speeds[i].factor;
    return lanes * lane;
}

int uat_ibv_port_ask(struct ibv_context *context, struct uat_ibv_port *port)
{
    port->asked = true;
    int rc = ibv_query_device_ex(context, NULL, &port->device_attr);
    if (!rc)
        rc = ibv_query_port(context, (uint8_t)port->number, &port->attr);
    if (rc)
        return rc < 0 ? errno : rc;
    port->atomics = uat_ibv_atomics_of(&port->device_attr);
    if (!port->rate) /* keep the rate from /sys, because the choice compares it with the /sys rates of other ports */
        port->rate = uat_ibv_rate(port->attr.active_width, port->attr.active_speed);
    return 0;
}

void uat_ibv_port_place(struct uat_ibv_port *port)
{
    port->numa_node = uat_numa_node_of_device(port->device);
    port->distance = uat_numa_distance(port->numa_node);
}

void uat_ibv_port_complete(struct uat_ibv_port *port)
{
    if (!port->by_sysfs)
        return;
    struct ibv_context *context = uat_ibv_context_use(port->device);
    port->error = context ? uat_ibv_port_ask(context, port) : errno;
    port->by_sysfs = false;
}

/* Append the ports of one device to the list. */
static int list_device(const struct ibv_device *device, struct uat_ibv_port **list, int *n)
{
    int known = uat_ibv_sysfs_ports(device->ibdev_path), count = known ? known : 1;
    for (int i = 1; i <= count; i++) {
        struct uat_ibv_port *grown = realloc(*list, (size_t)(*n + 1) * sizeof(**list));
        if (!grown)
            return -ENOMEM;
        *list = grown;
        struct uat_ibv_port *port = &grown[(*n)++];
        *port = (struct uat_ibv_port){.number = i, .by_sysfs = true};
        snprintf(port->device, sizeof(port->device), "%s", device->name);
        snprintf(port->path, sizeof(port->path), "%s", device->ibdev_path);
        uat_ibv_port_place(port);
        if (known && uat_ibv_sysfs_port(port->path, i, &port->attr, &port->rate))
            continue;
        uat_ibv_port_complete(port);
        if (!known && !port->error)
            count = port->device_attr.orig_attr.phys_port_cnt;
    }
    return 0;
}

int uat_ibv_ports_list(struct uat_ibv_port **out, int *n)
{
    int devices = 0, rc = 0;
    *out = NULL;
    *n = 0;
    errno = 0;
    struct ibv_device *const *list = uat_ibv_devices(&devices);
    if (!list) /* ENOSYS: the kernel has no verbs, and so no device */
        return errno == ENOSYS ? 0 : -(errno ? errno : EIO);
    for (int i = 0; i < devices && !rc; i++)
        rc = list_device(list[i], out, n);
    if (rc) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return rc;
}

const char *uat_ibv_port_refusal(const struct uat_ibv_port *port, char *buffer, size_t size)
{
    const struct ibv_device_attr *attr = &port->device_attr.orig_attr;
    if (port->error == EACCES || port->error == EPERM)
        snprintf(buffer, size, "no permission to open it: %s; see the mode of /dev/infiniband/uverbs*",
                 strerror(port->error));
    else if (port->error == ENOENT)
        snprintf(buffer, size,
                 "it has no file in /dev/infiniband; is ib_uverbs loaded, and does the container have "
                 "the device?");
    else if (port->error)
        snprintf(buffer, size, "it cannot be %s: %s; %s", port->asked ? "queried" : "opened", strerror(port->error),
                 uat_ibv_cure(port->asked ? UAT_IBV_RESOURCE_OTHER : UAT_IBV_RESOURCE_DEVICE, port->error));
    else if (port->attr.state != IBV_PORT_ACTIVE)
        snprintf(buffer, size, "its state is %s", ibv_port_state_str(port->attr.state));
    else if (port->by_sysfs)
        return NULL;
    else if (port->atomics == UAT_IBV_ATOMICS_NONE)
        snprintf(buffer, size,
                 "it has no 8-byte atomics that uat can use: some adapters need a PCIe slot that routes AtomicOps "
                 "(AtomicOpsCtl "
                 "of `lspci -vvv`), some answer in big endian");
    else if (attr->max_qp_rd_atom < 1 || attr->max_qp_init_rd_atom < 1)
        snprintf(buffer, size, "it allows no RDMA READs or atomics in flight");
    else
        return NULL;
    return buffer;
}

/* Does the wish allow this port? If wish is NULL, every port is allowed. */
static bool wanted(const struct uat_ibv_port *port, const struct uat_ibv_settings *wish)
{
    return !wish || !*wish->device ||
           (!strcmp(port->device, wish->device) && (!wish->port || port->number == wish->port));
}

/* The wish as the user wrote it; "" if there is none. */
static void wish_text(const struct uat_ibv_settings *wish, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", wish ? wish->device : "");
    if (*buffer && wish->port)
        snprintf(buffer, size, "%s:%d", wish->device, wish->port);
}

/* Why port a is better than port b; NULL: a is not better. */
static const char *advantage(const struct uat_ibv_port *a, const struct uat_ibv_port *b)
{
    bool a_ib = a->attr.link_layer == IBV_LINK_LAYER_INFINIBAND, b_ib = b->attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
    if (a_ib != b_ib)
        return a_ib ? "InfiniBand is preferred to Ethernet" : NULL;
    if (a->rate != b->rate)
        return a->rate > b->rate ? "the higher rate" : NULL;
    return a->distance < b->distance ? "the nearer NUMA node" : NULL;
}

/* Describe why none of the ports that the wish allows is usable. */
static void explain(const struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why,
                    size_t size)
{
    char asked[sizeof(wish->device) + 16], reason[UAT_IBV_REFUSAL_TEXT];
    size_t used = 0;
    *why = '\0';
    wish_text(wish, asked, sizeof(asked));
    for (int i = 0; i < n && used < size; i++)
        if (wanted(&ports[i], wish) && uat_ibv_port_refusal(&ports[i], reason, sizeof(reason)))
            used += (size_t)snprintf(why + used, size - used, "%s%s:%d: %s", used ? "; " : "", ports[i].device,
                                     ports[i].number, reason);
    if (used)
        return;
    if (!*asked || !n) {
        snprintf(why, size, "this host has no verbs device (nothing in /sys/class/infiniband)%s%s",
                 *asked ? "; UAT_NET_DEVICES asks for " : "", asked);
        return;
    }
    used = (size_t)snprintf(why, size, "UAT_NET_DEVICES=%s names no port of this host; it has", asked);
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(why + used, size - used, " %s:%d", ports[i].device, ports[i].number);
}

int uat_ibv_port_choose(const struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why,
                        size_t size)
{
    char reason[UAT_IBV_REFUSAL_TEXT];
    int best = -1;
    const char *by = "the only usable port";
    for (int i = 0; i < n; i++) {
        if (!wanted(&ports[i], wish) || uat_ibv_port_refusal(&ports[i], reason, sizeof(reason)))
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const char *more = advantage(&ports[i], &ports[best]), *less = advantage(&ports[best], &ports[i]);
        by = more ? more : less ? less : "the first of equals";
        if (more)
            best = i;
    }
    if (best < 0) {
        explain(ports, n, wish, why, size);
        return -ENODEV;
    }
    snprintf(why, size, "%s", wish && *wish->device ? "UAT_NET_DEVICES asks for it" : by);
    return best;
}

int uat_ibv_port_find(struct uat_ibv_port *ports, int n, const struct uat_ibv_settings *wish, char *why, size_t size)
{
    int best;
    while ((best = uat_ibv_port_choose(ports, n, wish, why, size)) >= 0 && ports[best].by_sysfs)
        uat_ibv_port_complete(&ports[best]);
    return best;
}
