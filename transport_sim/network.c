/* SPDX-License-Identifier: MIT */
#include "transport_sim/network.h"

#include "transport_sim/settings.h"

static const struct sim_network presets[] = {
    /* An InfiniBand HDR card of 200 Gb/s in a host of 64 cores. */
    [UAT_SIM_NETWORK_CX6] = {.post = 100,
                             .one_way = 800,
                             .local_one_way = 400,
                             .atomic = 200,
                             .gap = 5,
                             .bandwidth = 24000,
                             .local_bandwidth = 20000,
                             .node = 64},
    /* Fujitsu FX10 with Tofu. Its atomics are messages to a helper on the target's host. */
    [UAT_SIM_NETWORK_FX10] = {.post = 300,
                              .one_way = 1500,
                              .local_one_way = 500,
                              .atomic = 6800,
                              .gap = 200,
                              .bandwidth = 5000,
                              .local_bandwidth = 5000,
                              .node = 16},
    /* An InfiniBand QDR card of 40 Gb/s in a host of 16 cores. */
    [UAT_SIM_NETWORK_QDR] = {.post = 200,
                             .one_way = 1100,
                             .local_one_way = 700,
                             .atomic = 400,
                             .gap = 30,
                             .bandwidth = 3200,
                             .local_bandwidth = 5000,
                             .node = 16},
};

struct sim_network uat_sim_network_choose(void)
{
    const struct uat_sim_settings *o = &uat_sim_settings;
    struct sim_network n = presets[o->network];
    if (o->rtt > 0) {
        uint64_t half = o->rtt > 1 ? o->rtt / 2 : 1; /* with a lookahead of 0 the simulation would not advance */
        n.local_one_way = n.local_one_way < half ? n.local_one_way : half;
        n.one_way = half;
    }
    if (o->local > 0)
        n.local_one_way = o->local > 1 ? o->local / 2 : 1;
    if (o->atomic > 0)
        n.atomic = o->atomic;
    if (o->gap > 0)
        n.gap = o->gap;
    if (o->bandwidth > 0)
        n.bandwidth = o->bandwidth;
    if (o->node > 0)
        n.node = o->node;
    return n;
}
