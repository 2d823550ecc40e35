/* SPDX-License-Identifier: MIT */
/* Description: the transport over verbs refuses what a peer publishes, unless it is an endpoint of this peer in this
 * job, with values that can be used. The input is XORed onto a good endpoint, so that the result passes some checks. */
#include <stdlib.h>
#include <string.h>

#include "transport_ibv/endpoint.h"

enum { WORKERS = 4, PEER = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ibv_mr mr = {.rkey = 77};
    struct uat_ibv ibv = {
        .base = {.rank = 1, .size = WORKERS}, .mr = &mr, .host = "here", .pkey = 0xffff, .token = {{3, 4}}};
    struct ibv_qp qp = {.qp_num = 5};
    struct uat_ibv_connection connections[WORKERS];
    int neighbour = PEER;
    int of[WORKERS] = {0, 1, 2, 3}, place[WORKERS] = {0}, workers[WORKERS] = {1, 1, 1, 1},
        first[WORKERS] = {0, 1, 2, 3};
    struct uat_ibv_endpoint out;
    char good[UAT_ENDPOINT_MAX], *blob;
    size_t bytes = 0;
    struct uat_ibv_end end;

    for (int i = 0; i < WORKERS; i++)
        connections[i] = (struct uat_ibv_connection){.qp = &qp, .rank = i};
    ibv.connections = connections;
    ibv.connection_count = WORKERS;
    ibv.neighbours = &neighbour;
    ibv.neighbour_count = 1;
    ibv.pool.mr[UAT_IBV_STACKS] = ibv.pool.mr[UAT_IBV_WORDS] = &mr;
    ibv.groups = (struct uat_ibv_groups){
        .size = WORKERS, .count = WORKERS, .of = of, .place = place, .workers = workers, .first = first};
    ibv.port.number = 1;
    ibv.port.attr.active_mtu = IBV_MTU_1024;
    ibv.port.attr.link_layer = IBV_LINK_LAYER_ETHERNET;
    ibv.port.device_attr.orig_attr.max_qp_rd_atom = ibv.port.device_attr.orig_attr.max_qp_init_rd_atom = 16;
    ibv.base.rank = PEER; /* write the endpoint that a correct peer would publish */
    if (uat_ibv_endpoint_write(&ibv.base, good, &bytes))
        abort();
    ibv.base.rank = 1;
    if (size > 0 && data[0] % 4 == 0)
        bytes = size < sizeof(good) ? size : sizeof(good);
    for (size_t i = 1; i < size && i <= bytes; i++)
        good[i - 1] = (char)(good[i - 1] ^ data[i]);
    blob = malloc(bytes);
    memcpy(blob, good, bytes);
    struct uat_endpoint endpoint = {.data = blob, .size = bytes, .host = "there"};
    if (uat_ibv_endpoint_read(&ibv, PEER, &endpoint, &out, &end) == 0 &&
        (out.size != WORKERS || out.rank != PEER || out.mtu < IBV_MTU_256 || out.mtu > IBV_MTU_4096 || !out.read_to ||
         !memchr(out.device, '\0', sizeof(out.device)) || out.connections != WORKERS || out.neighbours != 1 ||
         !uat_ibv_end_is_valid(end) || !uat_secret_equal(&out.token, &ibv.token)))
        abort();
    free(blob);
    return 0;
}
