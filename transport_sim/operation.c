/* SPDX-License-Identifier: MIT */
#include "transport_sim/operation.h"

#include "transport_sim/bulk_plan.h"
#include "transport_sim/memory.h"
#include "transport_sim/plan.h"
#include "transport_sim/queue.h"

enum {
    GROUP = 8,
    WORDWISE = 512 /* operations of up to WORDWISE words move word by word; larger ones move groups of GROUP words */
};

struct sim_chain *uat_sim_chain_get(uint32_t *number)
{
    int size = uat_sim.world->settings.size;
    for (int i = 0; i < SIM_CHAINS; i++) {
        uint32_t n = (uint32_t)(i * size + uat_sim.rank);
        if (uat_sim.world->chain[n].state == SIM_FREE) {
            *number = n;
            return &uat_sim.world->chain[n];
        }
    }
    return NULL;
}

/* The target's segment has changed: wake the target if it waits for such a change. */
static void changed(const struct sim_chain *chain, uint64_t time)
{
    uat_sim.world->worker[chain->target].changes++;
    if (uat_sim.world->worker[chain->target].state == SIM_WAITS)
        uat_sim_wake(chain->target, time);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33; /* the finaliser of MurmurHash3 */
    x *= 0xff51afd7ed558ccdull;
    return x ^ x >> 33;
}

static void move(const struct sim_chain *chain, const struct uat_op *op, size_t from, size_t bytes)
{
    char *local = (char *)op->local + from, *remote = (char *)op->remote + from;
    if (op->code == UAT_OP_READ)
        uat_sim_memory_copy(chain->initiator, local, chain->target, remote, bytes);
    else if (chain->unsignaled)
        uat_sim_memory_write(chain->target, remote, (const char *)chain->copies[op - chain->ops] + from, bytes);
    else
        uat_sim_memory_copy(chain->target, remote, chain->initiator, local, bytes);
}

/* Of a READ or WRITE, move the words that belong to this part. */
static void move_part(const struct sim_chain *chain, const struct uat_op *op, uint32_t part)
{
    size_t words = op->size / 8, unit = words <= WORDWISE ? 1 : GROUP;
    for (size_t i = 0; i < words; i += unit) {
        if (mix(chain->random + i + ((uint64_t)(op - chain->ops) << 32)) % SIM_PARTS != part)
            continue;
        move(chain, op, 8 * i, 8 * (words - i < unit ? words - i : unit));
    }
}

static void do_atomic(const struct sim_chain *chain, const struct uat_op *op)
{
    uint64_t old, new;
    uat_sim_memory_read(chain->target, op->remote, &old, 8);
    new = op->code == UAT_OP_FETCH_ADD ? old + op->operand : old == op->compare ? op->operand : old;
    uat_sim_memory_write(chain->target, op->remote, &new, 8);
    if (op->local)
        uat_sim_memory_write(chain->initiator, op->local, &old, 8);
}

/* Execute operation `number` of the chain for the words of `part`. If `part` is SIM_PARTS, execute it for all words. */
static void do_one(struct sim_chain *chain, uint32_t number, uint32_t part, uint64_t time)
{
    const struct uat_op *op = &chain->ops[number];
    if (op->code == UAT_OP_FETCH_ADD || op->code == UAT_OP_CMP_SWAP)
        do_atomic(chain, op);
    else if (part < SIM_PARTS)
        move_part(chain, op, part);
    else
        move(chain, op, 0, op->size);
    if (op->code != UAT_OP_READ)
        changed(chain, time);
}

/* The chain has completed: wake the initiator if it waits for the chain. */
static void end_chain(struct sim_chain *chain, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[chain->initiator];
    chain->state = chain->unsignaled ? SIM_FREE : SIM_ENDED;
    worker->chains--;
    if (!chain->unsignaled && chain->phase == worker->phase)
        worker->awaited--;
    if (!chain->unsignaled)
        worker->changes += worker->awaited == 0;
    bool all = !chain->unsignaled && worker->awaited == 0;
    bool over =
        worker->state == SIM_WAITS_ANY || ((worker->state == SIM_WAITS || worker->state == SIM_WAITS_OWN) && all);
    if (over)
        uat_sim_wake(chain->initiator, time);
}

static void do_part(const struct sim_item *item, struct sim_chain *chain)
{
    uint32_t number = item->part / (SIM_PARTS + 1), part = item->part % (SIM_PARTS + 1);
    if (!sim_adverse()) {
        uint64_t start = uat_sim_plan_serve(chain, item->time);
        if (start > item->time) { /* the adapter is busy with other requests */
            struct sim_item later = {.time = start, .chain = item->chain};
            uat_sim_queue_add(SIM_OPERATION, chain->initiator, later);
            return;
        }
        for (uint32_t i = 0; i < chain->count; i++)
            do_one(chain, i, SIM_PARTS, item->time);
    } else {
        do_one(chain, number, part, item->time);
    }
    sim_untouch(chain->initiator);
    sim_untouch(chain->target);
    if (--chain->left > 0)
        return;
    struct sim_item end = {.time = uat_sim_plan_end(chain, item->time), .chain = item->chain};
    uat_sim_queue_add(SIM_END, chain->initiator, end);
}

void uat_sim_operate(const struct sim_item *item)
{
    struct sim_chain *chain = &uat_sim.world->chain[item->chain];
    switch (sim_kind_of(item)) {
    case SIM_BULK:
    case SIM_BULK_END:
        uat_sim_bulk_operate(item);
        break;
    case SIM_POST:
        uat_sim_plan_send(chain, item->chain, item->time);
        break;
    case SIM_OPERATION:
        do_part(item, chain);
        break;
    case SIM_END:
        end_chain(chain, item->time);
        break;
    default:
        uat_sim_stores_reach(sim_rank_of(item), item->time);
        break;
    }
}

void uat_sim_chain_turn_away(void)
{
    uat_sim.me->phase++;
    uat_sim.me->awaited = 0;
}

void uat_sim_chain_launch(struct sim_chain *chain, uint32_t number)
{
    chain->state = SIM_UNDER_WAY;
    chain->left = 0;
    chain->queued = false;
    uat_sim.me->chains++;
    chain->phase = uat_sim.me->phase;
    if (!chain->unsignaled)
        uat_sim.me->awaited++;
    if (sim_adverse())
        uat_sim_plan_adverse(chain, number);
    else
        uat_sim_plan_fair(chain, number);
}
