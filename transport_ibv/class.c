/* SPDX-License-Identifier: MIT */
/* The transport over verbs as a class: opening and closing. */
#include "transport_ibv/ibv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "transport/bulk.h"
#include "transport/handover.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/rdmacm.h"

static void ibv_close(struct uat_transport *t)
{
    struct uat_ibv *ibv = uat_ibv_of(t);
    uat_ibv_rdmacm_close(ibv);
    uat_ibv_queues_destroy(ibv);
    uat_ibv_neighbours_close(ibv);
    uat_ibv_domains_close(ibv);
    uat_ibv_device_close(ibv);
    uat_handover_close();
    free(ibv->peers);
    free(ibv);
}

/* Draw the job's token on rank 0, and make this worker's attach info. By this info, workers that share connections
 * attach each other's segments. */
static int take_attach_info(struct uat_ibv *ibv, const struct uat_transport_config *config)
{
    int rc = config->rank == 0 ? uat_secret_draw(&ibv->token, sizeof(ibv->token)) : 0;
    if (rc) {
        uat_error("transport ibv: getrandom: %s", strerror(-rc));
        return rc;
    }
    ibv->alone = ibv->settings.connect == UAT_CONNECT_WORKER || config->segment_fd < 0;
    return ibv->alone ? 0 : uat_attach_info_make(&ibv->info, config, "ibv");
}

static int ibv_open(const struct uat_transport_config *config, struct uat_transport **out)
{
    struct uat_ibv *ibv = calloc(1, sizeof(*ibv));
    struct uat_ibv_peer *peers = calloc((size_t)config->size, sizeof(*peers));
    if (!ibv || !peers) {
        uat_error("no memory for the connections to %d workers", config->size);
        free(ibv);
        free(peers);
        return -ENOMEM;
    }
    ibv->base = (struct uat_transport){.class_ = &uat_transport_ibv, .rank = config->rank, .size = config->size};
    ibv->settings = uat_ibv_settings;
    ibv->wait_report = config->wait_report;
    ibv->wait_limit = config->wait_limit;
    ibv->segment = config->segment;
    ibv->segment_size = config->segment_size;
    ibv->read_only = config->read_only;
    ibv->closed = config->closed;
    ibv->scratch = config->scratch;
    ibv->peers = peers;
    snprintf(ibv->host, sizeof(ibv->host), "%s", config->host);
    for (unsigned i = 0; i < UAT_IBV_SLOTS; i++)
        ibv->free_slots[ibv->free_count++] = (uint16_t)i;
    int rc = take_attach_info(ibv, config);
    if (!rc)
        rc = uat_ibv_device_open(ibv);
    if (!rc && ibv->settings.connect == UAT_CONNECT_RDMACM)
        rc = uat_ibv_rdmacm_listen(ibv);
    if (rc) {
        ibv_close(&ibv->base);
        return rc;
    }
    *out = &ibv->base;
    return 0;
}

static bool ibv_needs(struct uat_transport *t, int rank)
{
    return uat_ibv_connection_to(uat_ibv_of(t), rank) != NULL;
}

const struct uat_transport_class uat_transport_ibv = {
    .name = "ibv",
    .open = ibv_open,
    .attach_info = uat_ibv_attach_info,
    .attach = uat_ibv_attach,
    .endpoint = uat_ibv_endpoint_write,
    .needs = ibv_needs,
    .connect = uat_ibv_connect,
    .looker = uat_ibv_looker,
    .look = uat_ibv_look,
    .post = uat_ibv_post,
    .progress = uat_ibv_progress,
    .flush = uat_ibv_flush,
    .close = ibv_close,
    .bulk = &uat_bulk_ibv,
};
