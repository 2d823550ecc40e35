/* SPDX-License-Identifier: MIT */
/* Description: a connection request counts as a stranger's, unless it has the job's token and the rank of a worker to
 * which this worker has a connection. */
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/endpoint.h"
#include "transport_ibv/rdmacm.h"

enum { WORKERS = 4, CONNECTIONS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct uat_ibv_connection *uat_ibv_connection_to(const struct uat_ibv *ibv, int rank)
{
    for (int i = 0; i < ibv->connection_count; i++)
        if (ibv->connections[i].rank == rank)
            return &ibv->connections[i];
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct uat_ibv_connection connections[CONNECTIONS] = {{.rank = 0}, {.rank = 2}};
    struct uat_ibv ibv = {.base = {.rank = 3, .size = WORKERS}, .token = {{3, 4}}, .connections = connections};
    const char *why = NULL;
    ibv.connection_count = CONNECTIONS;
    struct uat_ibv_greeting g = {UAT_IBV_ENDPOINT_MAGIC, 2, ibv.token};
    size_t bytes = size > 0 && data[0] % 4 == 0 ? size - 1 : sizeof(g);
    for (size_t i = 1; i < size && i <= sizeof(g); i++) /* make a good greeting with some bits changed */
        ((uint8_t *)&g)[i - 1] ^= data[i];
    uint8_t *sent = malloc(bytes ? bytes : 1); /* the exact size, so that a read beyond the end is detected */
    memset(sent, 0, bytes);
    memcpy(sent, &g, bytes < sizeof(g) ? bytes : sizeof(g));
    int rank = uat_ibv_greeting_read(&ibv, bytes ? sent : NULL, bytes, &why);
    if ((rank < 0) != (why != NULL) || (rank >= 0 && rank != 0 && rank != 2) ||
        (rank >= 0 && (bytes < sizeof(g) || memcmp(&g.token, &ibv.token, sizeof(g.token)) || g.rank != (uint32_t)rank)))
        abort();
    free(sent);
    return 0;
}
