/* SPDX-License-Identifier: MIT */
#include "transport_ibv/rdmacm.h"

#include <string.h>

#include "transport_ibv/endpoint.h"

struct uat_ibv_greeting uat_ibv_greeting_make(const struct uat_ibv *ibv)
{
    return (struct uat_ibv_greeting){UAT_IBV_ENDPOINT_MAGIC, (uint32_t)ibv->base.rank, ibv->token};
}

int uat_ibv_greeting_read(const struct uat_ibv *ibv, const void *data, size_t size, const char **why)
{
    struct uat_ibv_greeting g;
    *why = "it does not come from a worker of uat";
    if (!data || size < sizeof(g))
        return -1;
    memcpy(&g, data, sizeof(g));
    if (g.magic != UAT_IBV_ENDPOINT_MAGIC)
        return -1;
    *why = "it does not carry the token of this job";
    if (!uat_secret_equal(&g.token, &ibv->token))
        return -1;
    *why = "this worker has no connection to its rank";
    if (g.rank >= (uint32_t)ibv->base.size || !uat_ibv_connection_to(ibv, (int)g.rank))
        return -1;
    *why = NULL;
    return (int)g.rank;
}
