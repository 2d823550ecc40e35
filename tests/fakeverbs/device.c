/* SPDX-License-Identifier: MIT */
/* Devices: listing, opening, and their properties. */
#include "tests/fakeverbs/fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#undef ibv_query_port

bool mlx5dv_is_supported(struct ibv_device *device);
int mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in, size_t in_size, void *out, size_t out_size);

static struct ibv_device devices[FAKE_DEVICES]; /* one per entry of fake_state->device */

FAKE_EXPORT struct ibv_device **ibv_get_device_list(int *count)
{
    struct ibv_device **list = calloc(FAKE_DEVICES + 1, sizeof(*list));
    int n = 0, error = fake_state ? fake_enter(FAKE_GET_DEVICE_LIST) : 0;
    if (error || !list) {
        free(list);
        errno = error ? error : ENOMEM;
        return NULL;
    }
    for (int i = 0; fake_state && i < fake_state->devices; i++) {
        struct fake_device *d = &fake_state->device[i];
        if (d->host >= 0 && d->host != fake_host())
            continue;
        devices[i] = (struct ibv_device){.node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB};
        memcpy(devices[i].name, d->name, sizeof(d->name));
        snprintf(devices[i].ibdev_path, sizeof(devices[i].ibdev_path), "%s", d->sysfs);
        snprintf(devices[i].dev_name, sizeof(devices[i].dev_name), "uverbs%d", i);
        list[n++] = &devices[i];
    }
    if (count)
        *count = n;
    return list;
}

FAKE_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size)
{
    (void)input;
    int error = fake_enter(FAKE_QUERY_DEVICE);
    if (error)
        return error;
    const struct fake_device *d = fake_device_of(context);
    struct ibv_device_attr_ex all = {.orig_attr = d->attr, .pci_atomic_caps = d->pci_atomics};
    memset(attr, 0, size);
    memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
    return 0;
}

FAKE_EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    int error = fake_enter(FAKE_QUERY_DEVICE);
    if (!error)
        *attr = fake_device_of(context)->attr;
    return error;
}

static struct fake_port *port_of(struct ibv_context *context, uint32_t number)
{
    struct fake_device *d = fake_device_of(context);
    return number >= 1 && number <= d->attr.phys_port_cnt ? &d->port[number - 1] : NULL;
}

static int query_port(struct ibv_context *context, uint8_t number, struct ibv_port_attr *attr, size_t size)
{
    struct fake_port *port = port_of(context, number);
    int error = fake_enter(FAKE_QUERY_PORT);
    if (!error && !port)
        error = EINVAL;
    if (error)
        return error;
    struct ibv_port_attr all = port->attr;
    if (all.link_layer == IBV_LINK_LAYER_INFINIBAND)
        all.lid = (uint16_t)(all.lid + fake_host());
    memset(attr, 0, size);
    memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
    return 0;
}

FAKE_EXPORT int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *attr)
{
    return query_port(context, number, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* The host's number is added to the last byte of a GID, because hosts share the description of a device. */
static struct ibv_gid_entry gid_entry(const struct fake_gid *gid, int port)
{
    struct ibv_gid_entry entry = {
        .gid = gid->gid, .gid_index = gid->index, .port_num = (uint32_t)port, .gid_type = gid->type};
    entry.gid.raw[15] = (uint8_t)(entry.gid.raw[15] + fake_host());
    return entry;
}

FAKE_EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room,
                                         uint32_t flags, size_t size)
{
    struct fake_device *d = fake_device_of(context);
    int error = fake_enter(FAKE_QUERY_GID);
    size_t n = 0;
    if (error || flags || size != sizeof(*entries))
        return error ? -error : -EINVAL;
    for (int i = 0; i < d->attr.phys_port_cnt; i++)
        for (uint32_t k = 0; k < d->port[i].gids; k++) {
            if (n == room)
                return -EINVAL;
            entries[n++] = gid_entry(&d->port[i].gid[k], i + 1);
        }
    return (ssize_t)n;
}

FAKE_EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t number, int index, union ibv_gid *gid)
{
    struct fake_port *port = port_of(context, number);
    errno = fake_enter(FAKE_QUERY_GID);
    for (uint32_t k = 0; !errno && port && k < port->gids; k++)
        if (port->gid[k].index == (uint32_t)index) {
            *gid = gid_entry(&port->gid[k], number).gid;
            return 0;
        }
    errno = errno ? errno : EINVAL;
    return -1;
}

FAKE_EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t number, int index, __be16 *pkey)
{
    struct fake_port *port = port_of(context, number);
    errno = fake_enter(FAKE_QUERY_PKEY);
    if (!errno && (!port || index < 0 || (uint32_t)index >= port->pkeys))
        errno = EINVAL;
    if (errno)
        return -1;
    *pkey = htons(port->pkey[index]);
    return 0;
}

/* The content of a context's file descriptor, for ibv_import_device(). */
struct card {
    int device;
};

/* fd: the descriptor of an imported context, which the new context closes at its end. -1: make a descriptor. */
static struct ibv_context *make_context(int device, int fd)
{
    struct fake_context *c = calloc(1, sizeof(*c));
    const struct card card = {device};
    if (!c)
        return NULL;
    c->device = device;
    c->imported = fd >= 0;
    c->verbs.sz = sizeof(c->verbs);
    c->verbs.query_port = query_port;
    c->verbs.query_device_ex = query_device_ex;
    c->verbs.create_qp_ex = fake_create_qp_ex;
    c->verbs.alloc_td = fake_alloc_td;
    c->verbs.dealloc_td = fake_dealloc_td;
    c->verbs.alloc_parent_domain = fake_alloc_parent_domain;
    struct ibv_context *context = &c->verbs.context;
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    context->device = &devices[device];
    context->ops.post_send = fake_post_send;
    context->ops.poll_cq = fake_poll_cq;
    context->num_comp_vectors = 1;
    pthread_mutex_init(&context->mutex, NULL);
    context->async_fd = eventfd(0, EFD_CLOEXEC);
    context->cmd_fd = fd >= 0 ? fd : memfd_create("fakeverbs-context", MFD_CLOEXEC);
    if (context->async_fd >= 0 && pwrite(context->cmd_fd, &card, sizeof(card), 0) == sizeof(card))
        return context;
    close(context->async_fd);
    close(context->cmd_fd);
    free(c);
    return NULL;
}

/* Take one of `limit` units. Returns false if none is left. limit 0: there is no limit. */
static bool take(int *used, int limit)
{
    /* Relaxed: only the number matters. Pairs with the atomics of the other processes. */
    if (__atomic_add_fetch(used, 1, __ATOMIC_RELAXED) <= limit || !limit)
        return true;
    __atomic_sub_fetch(used, 1, __ATOMIC_RELAXED);
    return false;
}

FAKE_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    int at = (int)(device - devices), error = fake_enter(FAKE_OPEN_DEVICE);
    int *used = &fake_state->used_contexts[fake_host()][at];
    usleep((useconds_t)fake_state->device[at].open_ms * 1000);
    if (!error && !take(used, fake_state->device[at].max_contexts))
        error = ENOMEM;
    errno = error;
    return error ? NULL : make_context(at, -1);
}

FAKE_EXPORT struct ibv_context *ibv_import_device(int fd)
{
    struct card card;
    errno = fake_enter(FAKE_IMPORT_DEVICE);
    if (!errno && pread(fd, &card, sizeof(card), 0) != sizeof(card))
        errno = EINVAL;
    return errno ? NULL : make_context(card.device, fd);
}

FAKE_EXPORT int ibv_close_device(struct ibv_context *context)
{
    struct fake_context *c = fake_context_of(context);
    fake_enter(FAKE_CLOSE_DEVICE);
    if (!c->imported)
        __atomic_sub_fetch(&fake_state->used_contexts[fake_host()][c->device], 1, __ATOMIC_RELAXED); /* as in take() */
    close(context->async_fd);
    close(context->cmd_fd);
    free(c);
    return 0;
}

FAKE_EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    (void)context;
    (void)event;
    int error = fake_enter(FAKE_GET_ASYNC_EVENT);
    errno = error ? error : EAGAIN; /* no event ever happens */
    return -1;
}

FAKE_EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
    return IBV_FORK_DISABLED;
}

FAKE_EXPORT int ibv_fork_init(void)
{
    return fake_state ? fake_enter(FAKE_FORK_INIT) : 0;
}

/* Functions of libmlx5. */
FAKE_EXPORT bool mlx5dv_is_supported(struct ibv_device *device)
{
    return device >= devices && device < devices + FAKE_DEVICES && !strncmp(device->name, "mlx5", 4);
}

/* Answer QUERY_HCA_CAP and QUERY_HCA_VPORT_CONTEXT. */
FAKE_EXPORT int mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in, size_t in_size, void *out,
                                        size_t out_size)
{
    enum { HEAD = 16, PORT = 9, LEVELS_WORD = 0x24, LEVELS = 1 << 7, WORD = 0x74, RELAXED_ONLY = 1 << 22, MASK = 0x52 };
    static const uint8_t query_hca_cap[HEAD] = {0x01, 0x00, [7] = 1};
    const struct fake_device *d = fake_device_of(context);
    const uint8_t *question = in;
    uint8_t *answer = out;
    if (in_size != HEAD || out_size < HEAD + WORD + sizeof(uint32_t))
        return EINVAL;
    memset(out, 0, out_size);
    if (!memcmp(in, query_hca_cap, HEAD)) {
        uint32_t word = htonl(d->relaxes ? RELAXED_ONLY : ~(uint32_t)RELAXED_ONLY);
        memcpy(answer + HEAD + WORD, &word, sizeof(word));
        word = htonl(d->port[0].unordered_levels ? LEVELS : ~(uint32_t)LEVELS);
        memcpy(answer + HEAD + LEVELS_WORD, &word, sizeof(word));
        return 0;
    }
    if (question[0] != 0x07 || question[1] != 0x62 || question[PORT] < 1 || question[PORT] > FAKE_PORTS)
        return EINVAL;
    uint16_t mask = htons(d->port[question[PORT] - 1].unordered_levels);
    memcpy(answer + HEAD + MASK, &mask, sizeof(mask));
    return 0;
}
