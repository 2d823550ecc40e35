/* SPDX-License-Identifier: MIT */
#include "transport_sim/network.h"

#include "transport_sim/settings.h"

static const struct sim_network presets[] = {
    /* A ConnectX-6 of 200 Gb/s (HDR) in a host of 64 cores. */
    [UAT_SIM_NETWORK_CX6] = {.post = 100,
                             .one_way = 800,
                             .write_one_way = 800,
                             .local_one_way = 600,
                             .atomic = 200,
                             .gap = 15,
                             .write_gap = 9,
                             .word = 470,
                             .device = 118,
                             .each = 20,
                             .pairs = 2048,
                             .miss = 500,
                             .bandwidth = 24000,
                             .local_bandwidth = 20000,
                             .node = 64},
    /* The same without the limits of real adapters: an atomic holds nothing, each request takes 5 ns, and the cache
     * holds all queue pairs. */
    [UAT_SIM_NETWORK_CX6_IDEAL] = {.post = 100,
                                   .one_way = 800,
                                   .write_one_way = 800,
                                   .local_one_way = 400,
                                   .atomic = 200,
                                   .gap = 5,
                                   .bandwidth = 24000,
                                   .local_bandwidth = 20000,
                                   .node = 64},
    /* A ConnectX-5 of 100 Gb/s (EDR). */
    [UAT_SIM_NETWORK_CX5] = {.post = 100,
                             .one_way = 900,
                             .write_one_way = 900,
                             .local_one_way = 700,
                             .atomic = 200,
                             .gap = 50,
                             .write_gap = 10,
                             .word = 470,
                             .device = 118,
                             .each = 20,
                             .pairs = 1024,
                             .miss = 600,
                             .bandwidth = 12000,
                             .local_bandwidth = 12000,
                             .node = 64},
    /* A ConnectX-7 of 200 Gb/s (HDR, NDR200), and of 400 Gb/s (NDR). */
    [UAT_SIM_NETWORK_CX7] = {.post = 100,
                             .one_way = 750,
                             .write_one_way = 750,
                             .local_one_way = 550,
                             .atomic = 200,
                             .gap = 10,
                             .write_gap = 5,
                             .word = 400,
                             .device = 100,
                             .each = 15,
                             .pairs = 4096,
                             .miss = 500,
                             .bandwidth = 24000,
                             .local_bandwidth = 20000,
                             .node = 64},
    [UAT_SIM_NETWORK_CX7_NDR] = {.post = 100,
                                 .one_way = 750,
                                 .write_one_way = 750,
                                 .local_one_way = 550,
                                 .atomic = 200,
                                 .gap = 10,
                                 .write_gap = 5,
                                 .word = 400,
                                 .device = 100,
                                 .each = 15,
                                 .pairs = 4096,
                                 .miss = 500,
                                 .bandwidth = 48000,
                                 .local_bandwidth = 40000,
                                 .node = 64},
    /* Fujitsu FX10 with Tofu, as in HPDC'15: 15 workers and the communication server on a host. */
    [UAT_SIM_NETWORK_FX10] = {.post = 300,
                              .one_way = 1000,
                              .local_one_way = 500,
                              .write_one_way = 1000,
                              .atomic = 2800,
                              .server = SIM_SERVER_HOST,
                              .copy = 3230,
                              .gap = 200,
                              .bandwidth = 5000,
                              .local_bandwidth = 5000,
                              .node = 15},
    /* TSUBAME2.5 as in JIP 2016, RDMA-emulated: 6 workers on a host. For each worker, a second core polls for
     * messages. */
    [UAT_SIM_NETWORK_TSUBAME] = {.post = 200,
                                 .one_way = 1865,
                                 .local_one_way = 700,
                                 .write_one_way = 1320,
                                 .atomic = 3440,
                                 .server = SIM_SERVER_WORKER,
                                 .copy = 3540,
                                 .gap = 30,
                                 .bandwidth = 3200,
                                 .local_bandwidth = 5000,
                                 .node = 6},
    /* TSUBAME2.5 as in JIP 2016, AM-based. No core polls, so READs and WRITEs are faster. An atomic needs a message in
     * each direction. */
    [UAT_SIM_NETWORK_TSUBAME_AM] = {.post = 200,
                                    .one_way = 1285,
                                    .local_one_way = 700,
                                    .write_one_way = 890,
                                    .atomic = 2500,
                                    .server = SIM_SERVER_WORKER,
                                    .copy = 4920,
                                    .gap = 30,
                                    .bandwidth = 3200,
                                    .local_bandwidth = 5000,
                                    .node = 6},
    /* An InfiniBand QDR adapter of 40 Gb/s in a host of 16 cores. */
    [UAT_SIM_NETWORK_QDR] = {.post = 200,
                             .one_way = 1100,
                             .write_one_way = 1100,
                             .local_one_way = 700,
                             .atomic = 400,
                             .gap = 30,
                             .bandwidth = 3200,
                             .local_bandwidth = 5000,
                             .node = 16},
};

_Static_assert(UAT_SIM_SERVER_WORKER - UAT_SIM_SERVER_NONE == SIM_SERVER_WORKER, "the setting's values are in order");

struct sim_network uat_sim_network_choose(void)
{
    const struct uat_sim_settings *o = &uat_sim_settings;
    struct sim_network n = presets[o->network];
    if (o->rtt > 0) {
        uint64_t half = o->rtt > 1 ? o->rtt / 2 : 1; /* with a lookahead of 0 the simulation would not advance */
        n.local_one_way = n.local_one_way < half ? n.local_one_way : half;
        n.one_way = n.write_one_way = half;
    }
    if (o->local > 0)
        n.local_one_way = o->local > 1 ? o->local / 2 : 1;
    if (o->atomic > 0)
        n.atomic = o->atomic;
    if (o->server != UAT_SIM_SERVER_AUTO)
        n.server = (enum sim_server)(o->server - UAT_SIM_SERVER_NONE);
    if (o->copy > 0)
        n.copy = o->copy;
    n.fault = o->fault;
    if (o->gap > 0)
        n.gap = o->gap;
    if (o->write > 0)
        n.write_gap = o->write;
    else if (n.write_gap == 0)
        n.write_gap = n.gap;
    if (o->word > 0)
        n.word = o->word;
    if (o->device > 0)
        n.device = o->device;
    if (o->memory == UAT_SIM_MEMORY_DEVICE)
        n.word = n.device;
    if (o->each > 0)
        n.each = o->each;
    if (o->pairs > 0)
        n.pairs = o->pairs;
    if (o->miss > 0)
        n.miss = o->miss;
    if (o->bandwidth > 0)
        n.bandwidth = o->bandwidth;
    if (o->node > 0)
        n.node = o->node;
    return n;
}
