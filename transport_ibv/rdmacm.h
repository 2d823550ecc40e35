/* SPDX-License-Identifier: MIT */
/*
 * UAT_CONNECT=rdmacm: librdmacm resolves the peers' addresses and the routes to them, and sets up the connections. So
 * GID, VLAN, service level and MTU come from the route. queues.c creates the queue pairs.
 */
#ifndef UAT_IBV_RDMACM_H
#define UAT_IBV_RDMACM_H

#include "transport_ibv/ibv.h"

/* Listen on the address of the chosen GID. The kernel chooses the port. Stores the port in ibv->cm_port. */
int uat_ibv_rdmacm_listen(struct uat_ibv *ibv);

/* Connect all queue pairs except the one to this worker itself, and close the listener. All workers must call this
 * function at the same time. */
int uat_ibv_rdmacm_connect(struct uat_ibv *ibv, const struct uat_endpoint *peers);

void uat_ibv_rdmacm_close(struct uat_ibv *ibv);

/* UAT_CONNECT=rdmacm: the private data of a connection request and of its answer. Any process on the network can send
 * such a request. */

struct uat_ibv_greeting {
    uint32_t magic, rank;    /* rank: of the sender */
    struct uat_secret token; /* the job's token */
};
_Static_assert(sizeof(struct uat_ibv_greeting) <= 56, "a request of librdmacm has room for 56 bytes");

struct uat_ibv_greeting uat_ibv_greeting_make(const struct uat_ibv *ibv);

/* Returns the rank of the worker that sent these bytes, if this worker has a connection to that rank. If no such worker
 * sent the bytes, returns -1 and sets *why to the reason. */
int uat_ibv_greeting_read(const struct uat_ibv *ibv, const void *data, size_t size, const char **why);

#endif
