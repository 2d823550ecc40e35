/* SPDX-License-Identifier: MIT */
#include "transport_ibv/endpoint.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/gid.h"

static uint8_t clamp_depth(int depth)
{
    return depth > 128 ? 128 : (uint8_t)depth; /* the attribute has 8 bits; 128 is its largest power of 2 */
}

void uat_ibv_endpoint_describe(const struct uat_ibv *ibv, struct uat_ibv_endpoint *e)
{
    const struct ibv_device_attr *attr = &ibv->port.device_attr.orig_attr;
    *e = (struct uat_ibv_endpoint){
        .magic = UAT_IBV_ENDPOINT_MAGIC,
        .version = UAT_IBV_ENDPOINT_VERSION,
        .bytes = (uint32_t)(sizeof(*e) + (size_t)ibv->connection_count * sizeof(struct uat_ibv_end)),
        .rank = (uint32_t)ibv->base.rank,
        .size = (uint32_t)ibv->base.size,
        .connections = (uint32_t)ibv->connection_count,
        .neighbours = (uint32_t)ibv->neighbour_count,
        .token = ibv->token,
        .link_layer = ibv->port.attr.link_layer,
        .port = (uint8_t)ibv->port.number,
        .mtu = (uint8_t)ibv->port.attr.active_mtu,
        .gid_kind = (uint8_t)uat_ibv_gid_kind_of(&ibv->gid),
        .read_from = clamp_depth(attr->max_qp_init_rd_atom),
        .read_to = clamp_depth(attr->max_qp_rd_atom),
        .atomics = (uint8_t)ibv->port.atomics,
        .connect = (uint8_t)ibv->settings.connect,
        .lid = ibv->port.attr.lid,
        .pkey = ibv->pkey,
        .cm_port = ibv->cm_port,
        .gid = ibv->gid.gid,
    };
    memcpy(e->rkey, ibv->pool.key, sizeof(e->rkey));
    snprintf(e->device, sizeof(e->device), "%.31s", ibv->port.device);
}

int uat_ibv_endpoint_write(struct uat_transport *t, void *data, size_t *size)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    struct uat_ibv_endpoint e;
    uat_ibv_endpoint_describe(ibv, &e);
    char *out = data;
    memcpy(out, &e, sizeof(e));
    out += sizeof(e);
    for (int i = 0; i < ibv->connection_count; i++, out += sizeof(struct uat_ibv_end)) {
        const struct uat_ibv_end end = {ibv->connections[i].qp->qp_num, ibv->connections[i].psn};
        memcpy(out, &end, sizeof(end));
    }
    *size = e.bytes;
    return 0;
}

const char *uat_ibv_endpoint_mismatch(const struct uat_ibv_endpoint *a, const struct uat_ibv_endpoint *b, char *buffer,
                                      size_t size)
{
    if (a->link_layer != b->link_layer) {
        snprintf(buffer, size, "one is on %s, the other on %s; name a port of the common network with UAT_NET_DEVICES",
                 uat_ibv_link_name(a->link_layer), uat_ibv_link_name(b->link_layer));
        return buffer;
    }
    if ((a->pkey ^ b->pkey) & 0x7fff || !((a->pkey | b->pkey) & 0x8000)) {
        bool limited = !((a->pkey ^ b->pkey) & 0x7fff);
        snprintf(buffer, size, "their partition keys 0x%04x and 0x%04x %s; see UAT_IB_PATH=pkey", a->pkey, b->pkey,
                 limited ? "are both those of limited members of the partition, which do not reach each other"
                         : "have no partition in common");
        return buffer;
    }
    if (a->link_layer == IBV_LINK_LAYER_INFINIBAND && a->gid.global.subnet_prefix != b->gid.global.subnet_prefix) {
        snprintf(buffer, size,
                 "their subnet prefixes 0x%016llx and 0x%016llx differ, so they are on different fabrics; "
                 "name ports of one fabric with UAT_NET_DEVICES",
                 (unsigned long long)be64toh(a->gid.global.subnet_prefix),
                 (unsigned long long)be64toh(b->gid.global.subnet_prefix));
        return buffer;
    }
    if (a->link_layer != IBV_LINK_LAYER_INFINIBAND && a->gid_kind != b->gid_kind) {
        snprintf(buffer, size, "one has a GID of kind %s, the other of kind %s; see UAT_GID_INDEX",
                 uat_ibv_gid_kind_name(a->gid_kind), uat_ibv_gid_kind_name(b->gid_kind));
        return buffer;
    }
    if (a->connect != b->connect) {
        snprintf(buffer, size, "UAT_CONNECT differs between them");
        return buffer;
    }
    return NULL;
}

/* The number of a worker's connections to ranks below `end`. */
static int count_connections(const struct uat_ibv_groups *groups, int worker, uint32_t end)
{
    int n = 0;
    for (int i = 0; i < (int)end; i++)
        n += uat_ibv_groups_connect(groups, worker, i);
    return n;
}

const char *uat_ibv_endpoint_wrong(const struct uat_ibv *ibv, int peer, struct uat_ibv_endpoint *e)
{
    if (e->magic != UAT_IBV_ENDPOINT_MAGIC)
        return "it belongs to another transport; does every worker use UAT_TRANSPORT=ibv?";
    if (e->version != UAT_IBV_ENDPOINT_VERSION)
        return "it has another version; all workers must run one build of uat";
    if (e->size != (uint32_t)ibv->base.size || e->rank != (uint32_t)peer)
        return "it belongs to another rank or job size";
    if (!uat_secret_equal(&e->token, &ibv->token))
        return "it does not carry the token of this job";
    if (e->gid_kind > UAT_IBV_GID_IB || e->atomics > UAT_IBV_ATOMICS_PCIE || e->mtu < IBV_MTU_256 ||
        e->mtu > IBV_MTU_4096 || !e->read_from || !e->read_to)
        return "its values are out of range";
    e->device[sizeof(e->device) - 1] = '\0';
    return NULL;
}

/* Check that the bytes are a complete record of this version. Returns a description of the error, or NULL. */
static const char *malformed(const struct uat_ibv *ibv, int peer, const struct uat_endpoint *data,
                             struct uat_ibv_endpoint *e, struct uat_ibv_end *end)
{
    if (!data->data || data->size < sizeof(*e))
        return "it is too short; does every worker use UAT_TRANSPORT=ibv?";
    memcpy(e, data->data, sizeof(*e));
    const char *wrong = uat_ibv_endpoint_wrong(ibv, peer, e);
    if (wrong)
        return wrong;
    if (e->bytes != data->size || data->size != sizeof(*e) + e->connections * sizeof(struct uat_ibv_end))
        return "its length is wrong";
    if (e->neighbours != (uint32_t)ibv->groups.workers[ibv->groups.of[peer]] ||
        e->connections != (uint32_t)count_connections(&ibv->groups, peer, e->size))
        return "it counts other connections or neighbours than this worker does for it; do UAT_CONNECT or the attach "
               "info "
               "differ?";
    int at = count_connections(&ibv->groups, peer, (uint32_t)ibv->base.rank);
    memcpy(end, (const char *)data->data + sizeof(*e) + (size_t)at * sizeof(*end), sizeof(*end));
    return uat_ibv_end_is_valid(*end) ? NULL : "the numbers of its queue pair or of its packets are out of range";
}

int uat_ibv_endpoint_read(struct uat_ibv *ibv, int peer, const struct uat_endpoint *data, struct uat_ibv_endpoint *out,
                          struct uat_ibv_end *end)
{
    char text[320];
    struct uat_ibv_endpoint e, own;
    const char *wrong = malformed(ibv, peer, data, &e, end);
    if (wrong) {
        uat_error("rank %d (%s) published %zu bytes that are no endpoint of a verbs transport: %s", peer,
                  data->host ? data->host : "?", data->size, wrong);
        return -EPROTO;
    }
    uat_ibv_endpoint_describe(ibv, &own);
    if (uat_ibv_endpoint_mismatch(&own, &e, text, sizeof(text))) {
        uat_error("rank %d (%s:%d on %s) and rank %d (%s:%d on %s) cannot reach each other: %s", ibv->base.rank,
                  own.device, own.port, ibv->host, peer, e.device, e.port, data->host ? data->host : "?", text);
        return -EHOSTUNREACH;
    }
    *out = e;
    return 0;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int uat_ibv_outgoing_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e)
{
    return smaller(ibv->port.device_attr.orig_attr.max_qp_init_rd_atom, e->read_to);
}

int uat_ibv_incoming_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e)
{
    return smaller(ibv->port.device_attr.orig_attr.max_qp_rd_atom, e->read_from);
}
