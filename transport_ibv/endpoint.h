/* SPDX-License-Identifier: MIT */
/* The bytes that a worker publishes about itself, and functions that read the bytes of its peers. */
#ifndef UAT_IBV_ENDPOINT_H
#define UAT_IBV_ENDPOINT_H

#include "transport_ibv/ibv.h"

enum { UAT_IBV_ENDPOINT_MAGIC = 0x75617449, UAT_IBV_ENDPOINT_VERSION = 5 };

/*
 * The head of the published bytes. After the head, there is one struct uat_ibv_end for each connection. These are in
 * the order of the ranks of the workers at the other ends. All workers run one build on one architecture, so the bytes
 * need no conversion.
 */
struct uat_ibv_endpoint {
    uint32_t magic, version;
    uint32_t bytes; /* bytes of everything published */
    uint32_t rank, size;
    uint32_t connections;           /* number of ends that follow */
    uint32_t neighbours;            /* workers of its group */
    uint32_t rkey[UAT_IBV_WINDOWS]; /* keys of its group's pool; 0: the window is empty */
    uint32_t unused;
    struct uat_secret token; /* the job's token, from rank 0's attach info */
    uint8_t link_layer, port, mtu, gid_kind;
    uint8_t read_from, read_to; /* maximum number of READs and atomics in flight per queue pair: read_from as initiator,
                                 * read_to as target */
    uint8_t atomics;            /* enum uat_ibv_atomics */
    uint8_t connect;            /* enum uat_connect */
    uint16_t lid, pkey;
    uint16_t cm_port; /* rdmacm: the port where the worker listens, in network byte order */
    uint16_t reserved;
    union ibv_gid gid; /* on InfiniBand, the GID's first half is the subnet prefix */
    char device[32];
};

enum { UAT_IBV_ENDS_MAX = (UAT_ENDPOINT_MAX - (int)sizeof(struct uat_ibv_endpoint)) / (int)sizeof(struct uat_ibv_end) };

/* The head that this worker publishes. */
void uat_ibv_endpoint_describe(const struct uat_ibv *ibv, struct uat_ibv_endpoint *e);

/* For uat_transport_class.endpoint. */
int uat_ibv_endpoint_write(struct uat_transport *t, void *data, size_t *size);

/* Check the bytes that rank `peer` published, and report a mismatch. This worker must have a connection to that rank.
 * Copy the peer's head to *out, and the peer's end of the connection to *end. Returns 0 or a negative errno. */
int uat_ibv_endpoint_read(struct uat_ibv *ibv, int peer, const struct uat_endpoint *data, struct uat_ibv_endpoint *out,
                          struct uat_ibv_end *end);

/* Check only the head that rank `peer` published, and terminate the head's strings. Returns a description of the error,
 * or NULL. */
const char *uat_ibv_endpoint_wrong(const struct uat_ibv *ibv, int peer, struct uat_ibv_endpoint *e);

/* Are both numbers in the adapter's range? */
static inline bool uat_ibv_end_is_valid(struct uat_ibv_end end)
{
    return end.qpn > 0 && end.qpn <= UAT_IBV_NUMBER_MAX && end.psn <= UAT_IBV_NUMBER_MAX;
}

/* The maximum number of READs and atomics in flight on one queue pair: from this worker, and from the peer. Each
 * maximum is the smaller of two numbers: how many the initiator can track, and how many the target can serve. e: the
 * peer's endpoint. */
int uat_ibv_outgoing_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);
int uat_ibv_incoming_reads(const struct uat_ibv *ibv, const struct uat_ibv_endpoint *e);

/* Returns NULL if the two endpoints can reach each other. Otherwise returns the reason as text in `buffer`. */
const char *uat_ibv_endpoint_mismatch(const struct uat_ibv_endpoint *a, const struct uat_ibv_endpoint *b, char *buffer,
                                      size_t size);

#endif
