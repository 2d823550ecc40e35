/* SPDX-License-Identifier: MIT */
#include "transport_sim/network.h"

#include "transport_sim/settings.h"

static const struct sim_network presets[] = {
    /* An InfiniBand HDR adapter of 200 Gb/s in a host of 64 cores. */
    [UAT_SIM_NETWORK_CX6] = {.post = 100,
                             .one_way = 800,
                             .write_one_way = 800,
                             .local_one_way = 400,
                             .atomic = 200,
                             .gap = 5,
                             .bandwidth = 24000,
                             .local_bandwidth = 20000,
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
    if (o->bandwidth > 0)
        n.bandwidth = o->bandwidth;
    if (o->node > 0)
        n.node = o->node;
    return n;
}
