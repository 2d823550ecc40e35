/* SPDX-License-Identifier: MIT */
#include "tests/fakeverbs/describe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A NAME of lines `NAME VALUE` of a device or a port, and where the value is stored. */
struct key {
    const char *name;
    size_t offset, size;
};

#define DEVICE(name, member)                                                                                           \
    {                                                                                                                  \
        name, offsetof(struct fake_device, member), sizeof(((struct fake_device *)NULL)->member)                       \
    }
#define ATTR(member) DEVICE(#member, attr.member)
static const struct key device_keys[] = {
    ATTR(max_mr_size),
    ATTR(vendor_id),
    ATTR(vendor_part_id),
    ATTR(max_qp),
    ATTR(max_qp_wr),
    ATTR(max_sge),
    ATTR(max_sge_rd),
    ATTR(max_cq),
    ATTR(max_cqe),
    ATTR(max_mr),
    ATTR(max_pd),
    ATTR(max_qp_rd_atom),
    ATTR(max_res_rd_atom),
    ATTR(max_qp_init_rd_atom),
    ATTR(atomic_cap),
    ATTR(max_pkeys),
    ATTR(max_ah),
    ATTR(local_ca_ack_delay),
    DEVICE("pci_fetch_add", pci_atomics.fetch_add),
    DEVICE("pci_compare_swap", pci_atomics.compare_swap),
    DEVICE("host", host),
    DEVICE("numa_node", numa_node),
    DEVICE("max_contexts", max_contexts),
    DEVICE("max_inline", max_inline),
    DEVICE("has_rc", has_rc),
    DEVICE("relaxed_only", relaxed_only),
    DEVICE("relaxes", relaxes),
    DEVICE("open_ms", open_ms),
    DEVICE("pair_us", pair_us),
    DEVICE("small_pages", small_pages),
    DEVICE("answers", answers),
    DEVICE("cut_ms", cut_ms),
    DEVICE("late_writes", late_writes),
    DEVICE("early_reads", early_reads),
    DEVICE("load_store", load_store),
    DEVICE("page_kib", page_kib),
    DEVICE("wrong_reads", wrong_reads),
    {0},
};

#define PORT(name, member)                                                                                             \
    {                                                                                                                  \
        name, offsetof(struct fake_port, member), sizeof(((struct fake_port *)NULL)->member)                           \
    }
static const struct key port_keys[] = {
    PORT("state", attr.state),
    PORT("link", attr.link_layer),
    PORT("lid", attr.lid),
    PORT("mtu", attr.active_mtu),
    PORT("width", attr.active_width),
    PORT("speed", attr.active_speed),
    PORT("flags", attr.flags),
    PORT("gid_tbl_len", attr.gid_tbl_len),
    PORT("fabric", fabric),
    PORT("service_level", service_level),
    PORT("traffic_class", traffic_class),
    PORT("unordered_levels", unordered_levels),
    {0},
};

/* The values that a file states by name. */
static const struct {
    const char *key, *name;
    unsigned value;
} names[] = {
    {"atomic_cap", "none", IBV_ATOMIC_NONE},
    {"atomic_cap", "hca", IBV_ATOMIC_HCA},
    {"atomic_cap", "glob", IBV_ATOMIC_GLOB},
    {"state", "down", IBV_PORT_DOWN},
    {"state", "init", IBV_PORT_INIT},
    {"state", "armed", IBV_PORT_ARMED},
    {"state", "active", IBV_PORT_ACTIVE},
    {"link", "infiniband", IBV_LINK_LAYER_INFINIBAND},
    {"link", "ethernet", IBV_LINK_LAYER_ETHERNET},
    {"mtu", "1024", IBV_MTU_1024},
    {"mtu", "2048", IBV_MTU_2048},
    {"mtu", "4096", IBV_MTU_4096},
    {"gid", "ib", IBV_GID_TYPE_IB},
    {"gid", "v1", IBV_GID_TYPE_ROCE_V1},
    {"gid", "v2", IBV_GID_TYPE_ROCE_V2},
};

static bool read_value(const char *key, const char *text, uint64_t *value)
{
    char *end;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(names[i].key, key) && !strcmp(names[i].name, text)) {
            *value = names[i].value;
            return true;
        }
    errno = 0;
    *value = strtoull(text, &end, 0);
    return !errno && end != text && !*end;
}

/* Store the value of a line in an object. Returns false if the object has no such key, or if the value is not a
 * number. */
static bool set(const struct key *keys, void *object, const char *name, const char *text)
{
    uint64_t value;
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    if (!keys->name || !read_value(name, text, &value))
        return false;
    memcpy((char *)object + keys->offset, &value, keys->size); /* little endian: the low bytes come first */
    return true;
}

/* Make a device with default values. No job reaches the default limits. Returns NULL if there are too many devices. */
static struct fake_device *new_device(struct fake_state *state, const char *name)
{
    if (state->devices == FAKE_DEVICES)
        return NULL;
    struct fake_device *d = &state->device[state->devices++];
    *d = (struct fake_device){
        .attr = {.max_mr_size = UINT64_MAX,
                 .max_qp = 1 << 18,
                 .max_qp_wr = 1 << 15,
                 .max_sge = 30,
                 .max_sge_rd = 30,
                 .max_cq = 1 << 24,
                 .max_cqe = (1 << 22) - 1,
                 .max_mr = 1 << 24,
                 .max_pd = 1 << 24,
                 .max_qp_rd_atom = 16,
                 .max_qp_init_rd_atom = 16,
                 .atomic_cap = IBV_ATOMIC_HCA,
                 .max_pkeys = 128},
        .host = -1,
        .numa_node = -1,
        .max_inline = 256,
        .has_rc = true,
    };
    snprintf(d->name, sizeof(d->name), "%s", name);
    return d;
}

static struct fake_port *new_port(struct fake_device *d)
{
    if (d->attr.phys_port_cnt == FAKE_PORTS)
        return NULL;
    struct fake_port *port = &d->port[d->attr.phys_port_cnt++];
    port->attr = (struct ibv_port_attr){.state = IBV_PORT_ACTIVE,
                                        .max_mtu = IBV_MTU_4096,
                                        .active_mtu = IBV_MTU_4096,
                                        .gid_tbl_len = 8,
                                        .max_msg_sz = 1u << 30,
                                        .lid = 1,
                                        .active_width = 2,
                                        .active_speed = 32,
                                        .phys_state = 5,
                                        .link_layer = IBV_LINK_LAYER_INFINIBAND};
    return port;
}

/* `gid INDEX TYPE ADDRESS` */
static bool add_gid(struct fake_port *port, const char *index, const char *type, const char *address)
{
    uint64_t at, kind;
    if (port->gids == FAKE_GIDS || !read_value("", index, &at) || !read_value("gid", type, &kind))
        return false;
    struct fake_gid *gid = &port->gid[port->gids++];
    gid->index = (uint32_t)at;
    gid->type = (uint32_t)kind;
    return inet_pton(AF_INET6, address, gid->gid.raw) == 1;
}

static bool add_pkey(struct fake_port *port, const char *text)
{
    uint64_t value;
    if (port->pkeys == FAKE_PKEYS || !read_value("", text, &value))
        return false;
    port->pkey[port->pkeys++] = (uint16_t)value;
    port->attr.pkey_tbl_len = (uint16_t)port->pkeys;
    return true;
}

/* Take a line, whose words are in w. *d and *port: the device and the port that the preceding lines began. Returns
 * false if the line is not understood, or states too many devices, ports, GIDs or partition keys. */
static bool take_line(struct fake_state *state, char (*w)[64], int words, struct fake_device **d,
                      struct fake_port **port)
{
    if (!strcmp(w[0], "device") && words == 2) {
        *port = NULL;
        return (*d = new_device(state, w[1])) != NULL;
    }
    if (!*d)
        return false;
    if (!strcmp(w[0], "port") && words == 1)
        return (*port = new_port(*d)) != NULL;
    if (!*port && !strcmp(w[0], "sysfs") && words == 2)
        return snprintf((*d)->sysfs, sizeof((*d)->sysfs), "%s", w[1]) > 0;
    if (!*port)
        return words == 2 && set(device_keys, *d, w[0], w[1]);
    if (!strcmp(w[0], "gid") && words == 4)
        return add_gid(*port, w[1], w[2], w[3]);
    if (!strcmp(w[0], "pkey") && words == 2)
        return add_pkey(*port, w[1]);
    return words == 2 && set(port_keys, *port, w[0], w[1]);
}

int fake_describe(struct fake_state *state, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[256], w[4][64];
    struct fake_device *d = NULL;
    struct fake_port *port = NULL;
    bool good = file != NULL;
    int number = 0;
    while (good && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "#\n")] = '\0';
        int words = sscanf(line, "%63s %63s %63s %63s", w[0], w[1], w[2], w[3]);
        number++;
        good = words <= 0 || take_line(state, w, words, &d, &port);
    }
    if (!good)
        fprintf(stderr, "fakeverbs: %s:%d: %s\n", path, number, file ? "not understood, or too many" : strerror(errno));
    if (file)
        fclose(file);
    return good ? 0 : -1;
}

int fake_describe_failure(struct fake_state *state, const char *text)
{
    static const struct {
        const char *name;
        int value;
    } errors[] = {{"ENOMEM", ENOMEM}, {"EINVAL", EINVAL}, {"ETIMEDOUT", ETIMEDOUT},
                  {"EAGAIN", EAGAIN}, {"EPERM", EPERM},   {"EACCES", EACCES},
                  {"EIO", EIO}};
    char copy[128], *rest = copy;
    struct fake_failure f = {.rank = -1, .call = FAKE_CALLS, .error = 0};
    snprintf(copy, sizeof(copy), "%s", text);
    if (*rest >= '0' && *rest <= '9')
        f.rank = (int)strtol(strsep(&rest, ":"), NULL, 10);
    const char *call = rest ? strsep(&rest, ":") : "", *last = rest ? strsep(&rest, ":") : "";
    if (rest) {
        f.at = strtoull(last, NULL, 10);
        last = rest;
    }
    for (int i = 0; i < FAKE_CALLS; i++)
        if (!strcmp(fake_call_names[i], call))
            f.call = (enum fake_call)i;
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (!strcmp(errors[i].name, last))
            f.error = errors[i].value;
    if (f.call == FAKE_CALLS || !f.error || state->failures == FAKE_FAILURES) {
        fprintf(stderr, "fakeverbs: --fail %s: not [RANK:]CALL[:K]:ERROR, or more than %d\n", text, FAKE_FAILURES);
        return -1;
    }
    state->failure[state->failures++] = f;
    return 0;
}
