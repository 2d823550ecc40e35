/* SPDX-License-Identifier: MIT */
#include "transport_sim/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "transport_sim/adapter.h"
#include "transport_sim/queue.h"

/* The sorts of operations. The line to a peer holds two kinds of times: when the latest operation of each sort takes
 * effect, and when this worker sees the latest completion from the peer. */
enum sort { SORT_READ, SORT_WRITE, SORT_ATOMIC, SORTS };
struct line {
    uint64_t effect[SORTS];
    uint64_t end;
};
static struct line *lines; /* this worker's lines, one per peer */

enum {
    SPREAD = 4,       /* adverse: a latency is between 1/4 and 2 1/4 times the usual one */
    LONG_EVERY = 48,  /* adverse: one latency in LONG_EVERY is longer */
    LONG_FACTOR = 40, /* adverse: a longer latency is longer by up to this factor */
};

int uat_sim_plan_open(int size)
{
    lines = calloc((size_t)size, sizeof(*lines));
    return lines ? 0 : -ENOMEM;
}

void uat_sim_plan_close(void)
{
    free(lines);
    lines = NULL;
}

static bool same_host(int a, int b)
{
    int node = uat_sim.world->settings.network.node;
    return a / node == b / node;
}

/* The load of a chain: bytes to the target and bytes back; number of atomics; number of operations other than
 * WRITEs; ns for which the requests occupy a port, without their bytes. */
struct load {
    uint64_t out, back, atomics, others, gap;
};

static struct load load_of(const struct sim_chain *chain)
{
    struct load load = {0};
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct uat_op *op = &chain->ops[i];
        if (op->code == UAT_OP_READ)
            load.back += op->size;
        else if (op->code == UAT_OP_WRITE)
            load.out += op->size;
        else
            load.atomics++;
        load.others += op->code != UAT_OP_WRITE;
        load.gap += sim_adapter_gap(op->code);
    }
    return load;
}

static uint64_t one_way(const struct sim_chain *chain)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    if (same_host(chain->initiator, chain->target))
        return n->local_one_way;
    return load_of(chain).others > 0 ? n->one_way : n->write_one_way;
}

uint64_t uat_sim_plan_lookahead(const struct sim_settings *s)
{
    uint64_t least = s->network.write_one_way < s->network.one_way ? s->network.write_one_way : s->network.one_way;
    if (s->network.node > 1 && s->network.local_one_way < least)
        least = s->network.local_one_way;
    if (s->seed)
        least /= SPREAD;
    return least > 0 ? least : 1;
}

/* Time in ns for which the chain occupies the target's adapter. If both workers are on one host, the bytes move at the
 * bandwidth within the host. */
static uint64_t service(const struct sim_chain *chain)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    struct load load = load_of(chain);
    uint64_t bandwidth = same_host(chain->initiator, chain->target) ? n->local_bandwidth : n->bandwidth;
    uint64_t most = load.back > load.out ? load.back : load.out; /* the link has two directions */
    return load.gap + sim_transfer(most, bandwidth);
}

void uat_sim_plan_fair(struct sim_chain *chain, uint32_t number)
{
    struct sim_item item = {.time = uat_sim.me->clock, .chain = number};
    uint64_t earliest = item.time + one_way(chain);
    chain->left = 1;
    sim_touch(chain->initiator, earliest);
    sim_touch(chain->target, earliest);
    uat_sim_queue_add(SIM_POST, chain->initiator, item);
}

void uat_sim_plan_send(struct sim_chain *chain, uint32_t number, uint64_t time)
{
    struct sim_world *w = uat_sim.world;
    const struct sim_network *n = &w->settings.network;
    uint64_t *sender = &w->sender[chain->initiator / n->node], leaves = time;
    if (!same_host(chain->initiator, chain->target)) {
        struct load load = load_of(chain);
        leaves = *sender > leaves ? *sender : leaves;
        *sender = leaves + load.gap + sim_transfer(load.out, n->bandwidth);
        leaves = uat_sim_adapter_pair(chain->initiator, chain->initiator, chain->target, false, leaves);
    }
    struct sim_item item = {.time = leaves + one_way(chain), .chain = number};
    uat_sim_queue_add(SIM_OPERATION, chain->initiator, item);
}

/* The time at which a chain takes effect if the adapter starts on it at `start`. A chain that contains atomics waits
 * until the server, or the units of the adapter, are free. Every chain waits until earlier atomics of the same worker
 * have taken effect (O1, O5). A chain of WRITEs need not wait for earlier atomics, but in this model it does. */
static uint64_t serve_atomics(const struct sim_chain *chain, uint64_t start)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    uint64_t atomics = load_of(chain).atomics, *served = &uat_sim.world->served[chain->initiator];
    uint64_t *server = &uat_sim.world->server[n->server == SIM_SERVER_HOST ? chain->target / n->node : chain->target];
    if (n->server == SIM_SERVER_NONE && (n->word | n->each) == 0)
        return start;
    start = *served > start ? *served : start;
    if (atomics == 0)
        return start;
    if (n->server != SIM_SERVER_NONE) {
        start = *server > start ? *server : start;
        *server = start + atomics * n->atomic;
    } else {
        for (uint32_t i = 0; i < chain->count; i++)
            if (chain->ops[i].code == UAT_OP_FETCH_ADD || chain->ops[i].code == UAT_OP_CMP_SWAP)
                start = uat_sim_adapter_atomic(chain->target, (uintptr_t)chain->ops[i].remote, start);
    }
    *served = start;
    return start;
}

uint64_t uat_sim_plan_serve(struct sim_chain *chain, uint64_t time)
{
    uint64_t *adapter = &uat_sim.world->adapter[chain->target / uat_sim.world->settings.network.node];
    if (chain->queued)
        return time;
    uint64_t start = *adapter > time ? *adapter : time;
    chain->queued = true;
    *adapter = start + service(chain);
    uat_sim.world->busy[chain->target / uat_sim.world->settings.network.node] += service(chain);
    start = uat_sim_adapter_pair(chain->target, chain->initiator, chain->target, false, start);
    start = serve_atomics(chain, start);
    chain->ends = start + service(chain) + load_of(chain).atomics * uat_sim.world->settings.network.atomic;
    return start;
}

uint64_t uat_sim_plan_end(const struct sim_chain *chain, uint64_t time)
{
    if (!sim_adverse())
        return chain->ends + one_way(chain);
    return chain->ends > time ? chain->ends : time;
}

static uint64_t adverse_latency(uint64_t usual)
{
    uint64_t least = usual / SPREAD > 0 ? usual / SPREAD : 1;
    uint64_t most = uat_sim_random(LONG_EVERY) == 0 ? usual * (1 + uat_sim_random(LONG_FACTOR)) : 2 * usual;
    return least + uat_sim_random(most);
}

static enum sort sort_of(const struct uat_op *op)
{
    return op->code == UAT_OP_READ ? SORT_READ : op->code == UAT_OP_WRITE ? SORT_WRITE : SORT_ATOMIC;
}

/* Must an operation of sort `first` take effect before a later operation of sort `second`? */
static bool ordered(enum sort first, enum sort second)
{
    if (first == SORT_READ)
        return false; /* O3 */
    if (uat_sim.world->settings.chain_order)
        return true;
    return (first == SORT_WRITE && second == SORT_ATOMIC) || (first == SORT_ATOMIC && second == SORT_READ); /* O1 */
}

static void enter(struct sim_chain *chain, uint32_t number, uint32_t part, uint64_t time)
{
    struct sim_item item = {.time = time, .chain = number, .part = part};
    chain->left++;
    sim_touch(chain->initiator, time);
    sim_touch(chain->target, time);
    uat_sim_queue_add(SIM_OPERATION, chain->initiator, item);
}

/* A random time between two effects: a few ns, or up to the usual latency. Sometimes it is up to eight times the usual
 * latency. */
static uint64_t moment(uint64_t usual)
{
    uint64_t dice = uat_sim_random(16);
    return dice < 8 ? uat_sim_random(8) : dice < 15 ? uat_sim_random(usual) : uat_sim_random(8 * usual);
}

/* Choose when one operation takes effect. Each part of a READ or WRITE has its own time. Returns the latest of these
 * times. */
static uint64_t enter_operation(struct sim_chain *chain, uint32_t number, uint32_t i, uint64_t earliest)
{
    uint64_t usual = one_way(chain), latest = 0;
    enum sort sort = sort_of(&chain->ops[i]);
    uint32_t parts = sort == SORT_READ || (sort == SORT_WRITE && chain->ops[i].size > 8) ? SIM_PARTS : 1;
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t time = earliest + 1 + moment(usual);
        enter(chain, number, i * (SIM_PARTS + 1) + (parts == 1 ? SIM_PARTS : part), time);
        latest = time > latest ? time : latest;
    }
    return latest;
}

void uat_sim_plan_adverse(struct sim_chain *chain, uint32_t number)
{
    struct line *line = &lines[chain->target];
    uint64_t arrives = uat_sim.me->clock + adverse_latency(one_way(chain)), last = 0;
    chain->random = uat_sim_random(UINT64_MAX);
    for (uint32_t i = 0; i < chain->count; i++) {
        enum sort sort = sort_of(&chain->ops[i]);
        uint64_t earliest = arrives;
        for (int first = 0; first < SORTS; first++)
            if (ordered((enum sort)first, sort) && line->effect[first] > earliest)
                earliest = line->effect[first];
        uint64_t latest = enter_operation(chain, number, i, earliest);
        line->effect[sort] = latest > line->effect[sort] ? latest : line->effect[sort];
        last = latest > last ? latest : last;
    }
    uint64_t end = last + adverse_latency(one_way(chain));
    line->end = chain->ends = end > line->end ? end : line->end + 1; /* completions from one peer keep their order */
}
