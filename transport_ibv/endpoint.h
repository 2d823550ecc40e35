/* SPDX-License-Identifier: MIT */
/* What a worker publishes about itself, and reading what the others published. */
#ifndef UAT_IBV_ENDPOINT_H
#define UAT_IBV_ENDPOINT_H

#include "transport_ibv/ibv.h"

enum { UAT_IBV_ENDPOINT_MAGIC = 0x75617449, UAT_IBV_ENDPOINT_VERSION = 3 };

/* The published bytes: this head, then the numbers of the queue pairs, by rising rank of the worker at the other end,
 * then the keys of the segments of its group, by rising rank, one for each window. All workers run one build on one
 * architecture, so it goes as it is. */
struct uat_ibv_endpoint {
    uint32_t magic, version;
    uint32_t bytes; /* of all that is published */
    uint32_t rank, size;
    uint32_t connections, keys; /* how many numbers of each kind follow */
    uint32_t psn;               /* of the first packet it sends on each connection; 24 bits */
    uint8_t link_layer, port, mtu, gid_kind;
    uint8_t read_from, read_to; /* READs and atomics in flight: as the initiator, as the target; per queue pair */
    uint8_t atomics;            /* enum uat_ibv_atomics */
    uint8_t connect;            /* enum uat_connect */
    uint16_t lid, pkey;
    uint16_t cm_port; /* rdmacm: where it listens, network byte order */
    uint16_t reserved;
    union ibv_gid gid; /* on InfiniBand its first half is the subnet prefix */
    char device[32];
};

enum { UAT_IBV_NUMBERS_MAX = (UAT_ENDPOINT_MAX - (int)sizeof(struct uat_ibv_endpoint)) / (int)sizeof(uint32_t) };

/* The head that this worker publishes. */
void uat_ibv_endpoint_describe(const struct uat_ibv *ibv, struct uat_ibv_endpoint *e);

/* For uat_transport_class.endpoint. */
int uat_ibv_endpoint_write(struct uat_transport *t, void *data, size_t *size);

/* Check what rank `peer`, to which there is a connection, published and copy its head to *out and the number of its
 * queue pair to this worker to *qpn. Reports what does not fit together. 0 or a negative errno. */
int uat_ibv_endpoint_read(struct uat_ibv *ibv, int peer, const struct uat_endpoint *data, struct uat_ibv_endpoint *out,
                          uint32_t *qpn);

/* Key number `place` of its group; e: the head that was read of `data`. */
uint32_t uat_ibv_endpoint_key(const struct uat_ibv_endpoint *e, const struct uat_endpoint *data, int place);

/* READs and atomics that may be under way on one queue pair: sent by this worker, sent by the peer. Each is the
 * minimum of what the initiator can track and what the target can serve; e is the peer's endpoint. */
int uat_ibv_outgoing_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);
int uat_ibv_incoming_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);

/* Why two endpoints cannot reach each other, text in buffer; NULL: they can. */
const char *uat_ibv_endpoint_mismatch(const struct uat_ibv_endpoint *a, const struct uat_ibv_endpoint *b, char *buffer,
                                      size_t size);

#endif
