/* SPDX-License-Identifier: MIT */
/* Decides when bulk operations take effect and when the initiator sees their completions. */
#include "transport_sim/bulk_plan.h"

#include "transport_sim/adapter.h"
#include "transport_sim/queue.h"

enum sort { SORT_READ, SORT_WRITE, SORT_ATOMIC, SORTS };

static enum sort sort_of(const struct sim_bulk *op)
{
    return op->code == UAT_OP_READ ? SORT_READ : op->code == UAT_OP_WRITE ? SORT_WRITE : SORT_ATOMIC;
}

static int node_of(int rank)
{
    return rank / uat_sim.world->settings.network.node;
}

static bool is_local(const struct sim_bulk *op)
{
    return node_of(op->initiator) == node_of(op->target);
}

static uint64_t one_way(const struct sim_bulk *op)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    return is_local(op) ? n->local_one_way : n->one_way;
}

/* Time in ns for which the operation occupies the sender's or the target's adapter. This time is the gap of one
 * request, plus the transfer time of the bytes in that direction. */
static uint64_t occupies(const struct sim_bulk *op, bool sender)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    bool carries = op->code == UAT_OP_WRITE || (op->code == UAT_OP_READ && !sender);
    return sim_adapter_gap(op->code) +
           (carries ? sim_transfer(op->bytes, is_local(op) ? n->local_bandwidth : n->bandwidth) : 0);
}

static void enter(enum sim_kind kind, struct sim_bulk *op, uint32_t number, uint32_t part, uint64_t time)
{
    uat_sim_queue_add(kind, op->initiator, (struct sim_item){.time = time, .chain = number, .part = part});
}

/* --- fair: the adapters of sender and target are queues, shared with the chains */

static void plan_fair(struct sim_bulk *op, uint32_t number)
{
    uint64_t *sender = &uat_sim.world->sender[node_of(op->initiator)], leaves = uat_sim.me->clock;
    if (!is_local(op)) {
        leaves = *sender > leaves ? *sender : leaves;
        *sender = leaves + occupies(op, true);
        leaves = uat_sim_adapter_pair(op->initiator, op->initiator, op->target, true, leaves);
    }
    op->left = 1;
    sim_touch(op->initiator, leaves + one_way(op));
    enter(SIM_BULK, op, number, SIM_PARTS, leaves + one_way(op));
}

/* As in plan.c: an atomic waits for its word, and every operation for earlier atomics of its worker (B1, B2). */
static uint64_t serve_atomic(const struct sim_bulk *op, uint64_t start)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    uint64_t *served = &uat_sim.world->served[op->initiator];
    if ((n->word | n->each) == 0)
        return start;
    start = *served > start ? *served : start;
    if (sort_of(op) == SORT_ATOMIC)
        *served = start = uat_sim_adapter_atomic(op->target, op->offset, start);
    return start;
}

/* The operation arrives at `time`. Returns the time at which the target's adapter starts on it. */
static uint64_t turn(struct sim_bulk *op, uint64_t time)
{
    uint64_t *adapter = &uat_sim.world->adapter[node_of(op->target)];
    if (op->queued)
        return time;
    uint64_t start = *adapter > time ? *adapter : time;
    op->queued = true;
    *adapter = start + occupies(op, false);
    start = uat_sim_adapter_pair(op->target, op->initiator, op->target, true, start);
    start = serve_atomic(op, start);
    op->ends = start + occupies(op, false) + (sort_of(op) == SORT_ATOMIC ? uat_sim.world->settings.network.atomic : 0);
    return start;
}

/* The initiator sees a link's completions in the order of posting (B4). That is also the order of arrival. */
static uint64_t end_fair(struct sim_bulk *op)
{
    uint64_t *last = &uat_sim.world->bulk_end[(size_t)op->initiator * (size_t)uat_sim.world->settings.size + op->link];
    uint64_t end = op->ends + one_way(op);
    *last = end > *last ? end : *last + 1;
    return *last;
}

/* --- adverse: any time that transport/bulk.h allows */

enum { SPREAD = 4, LONG_EVERY = 24, LONG_FACTOR = 40 }; /* as in plan.c, but with twice as many long latencies */

static uint64_t adverse_latency(uint64_t usual)
{
    uint64_t least = usual / SPREAD > 0 ? usual / SPREAD : 1;
    uint64_t most = uat_sim_random(LONG_EVERY) == 0 ? usual * (1 + uat_sim_random(LONG_FACTOR)) : 2 * usual;
    return least + uat_sim_random(most);
}

static bool ordered(enum sort first, enum sort second)
{
    return (first == SORT_WRITE && second == SORT_ATOMIC) || (first == SORT_ATOMIC && second == SORT_READ); /* B1, B2 */
}

static void plan_adverse(struct sim_bulk *op, uint32_t number, struct sim_bulk_line *line)
{
    uint64_t usual = one_way(op), arrives = uat_sim.me->clock + adverse_latency(usual), latest = arrives;
    enum sort sort = sort_of(op);
    op->random = uat_sim_random(UINT64_MAX);
    for (int first = 0; first < SORTS; first++)
        if (ordered((enum sort)first, sort) && line->effect[first] > arrives)
            arrives = line->effect[first];
    uint32_t parts = sort == SORT_ATOMIC ? 1 : SIM_PARTS;
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t time = arrives + 1 + (uat_sim_random(2) ? uat_sim_random(8) : adverse_latency(usual));
        enter(SIM_BULK, op, number, parts == 1 ? SIM_PARTS : part, time);
        op->left++;
        latest = time > latest ? time : latest;
    }
    line->effect[sort] = latest > line->effect[sort] ? latest : line->effect[sort];
    /* B3: the completion of a WRITE does not imply its effect. */
    uint64_t end = (sort == SORT_WRITE && uat_sim_random(2) ? arrives : latest) + adverse_latency(usual);
    line->end = end > line->end ? end : line->end + 1; /* B4 */
    sim_touch(op->initiator, line->end);
    enter(SIM_BULK_END, op, number, 0, line->end);
}

void uat_sim_bulk_plan(struct sim_bulk *op, uint32_t number, struct sim_bulk_line *line)
{
    if (sim_adverse())
        plan_adverse(op, number, line);
    else
        plan_fair(op, number);
}

/* Wake the initiator: there may be a completion for it, or room in its table. */
static void changed(int rank, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    worker->changes++;
    if (worker->state == SIM_WAITS)
        uat_sim_wake(rank, time);
}

static void do_effect(struct sim_bulk *op, const struct sim_item *item)
{
    uint64_t start = sim_adverse() ? item->time : turn(op, item->time);
    if (start > item->time) { /* the adapter is busy with other requests */
        enter(SIM_BULK, op, item->chain, item->part, start);
        return;
    }
    uat_sim_bulk_effect(op, item->chain, item->part);
    op->left--;
    if (!sim_adverse())
        enter(SIM_BULK_END, op, item->chain, 0, end_fair(op));
    else if (op->left == 0 && op->ended)
        changed(op->initiator, item->time);
}

void uat_sim_bulk_operate(const struct sim_item *item)
{
    struct sim_bulk *op = &uat_sim.world->bulk[item->chain];
    if (sim_kind_of(item) == SIM_BULK) {
        do_effect(op, item);
        return;
    }
    op->ended = true;
    sim_untouch(op->initiator);
    changed(op->initiator, item->time);
}
