/* SPDX-License-Identifier: MIT */
/* UAT_CONNECT=rdmacm: the private data of a connection request and of its answer. Any process on the network can send
 * such a request. */
#ifndef UAT_IBV_GREETING_H
#define UAT_IBV_GREETING_H

#include "transport_ibv/ibv.h"

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
