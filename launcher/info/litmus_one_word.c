/* SPDX-License-Identifier: MIT */
/* Litmus tests of one word that two sides change. */
#include "launcher/info/litmus_test.h"

#include <stdio.h>

#include "transport_ibv/address.h"
#include "transport_ibv/contexts.h"
#include "transport_ibv/settings.h"

/* Open a second transport of the victim over its segment, through another adapter, and connect it to itself. NULL if
 * this host has no other adapter that can be used. */
static struct uat_transport *open_second(const struct pair *pair)
{
    static struct uat_ibv_address list[UAT_IBV_ADDRESSES_MAX];
    struct uat_ibv_settings saved = uat_ibv_settings, any = saved;
    struct uat_transport *second = NULL;
    struct uat_endpoint self = {.host = pair->hosts[pair->rank]};
    char why[640], blob[UAT_ENDPOINT_MAX];
    int n = 0, other = 0;
    any.device[0] = '\0';
    any.port = 0;
    int rc = uat_ibv_addresses_list(&any, list, &n, why, sizeof(why));
    uat_ibv_contexts_close();
    const char *used = saved.device[0] || rc ? saved.device : list[0].device;
    while (!rc && other < n && strcmp(list[other].device, used) == 0)
        other++;
    if (rc || other == n)
        return NULL;
    struct uat_transport_config config = {.size = 1,
                                          .host = self.host,
                                          .segment = pair->segment,
                                          .segment_size = PAIR_SEGMENT,
                                          .segment_fd = -1,
                                          .scratch = pair->segment};
    snprintf(uat_ibv_settings.device, sizeof(uat_ibv_settings.device), "%s", list[other].device);
    uat_ibv_settings.port = list[other].port;
    self.data = blob;
    rc = uat_transport_ibv.open(&config, &second);
    if (!rc)
        rc = uat_transport_ibv.attach_info(second, blob, &self.size);
    if (!rc)
        rc = uat_transport_ibv.attach(second, &self);
    if (!rc)
        rc = uat_transport_ibv.endpoint(second, blob, &self.size);
    if (!rc)
        rc = uat_transport_ibv.connect(second, &self);
    uat_ibv_settings = saved;
    if (rc && second)
        uat_transport_ibv.close(second);
    return rc ? NULL : second;
}

/* The victim adds to the upper half of the word until the thief has done its last addition. Returns the number of
 * additions. */
static uint64_t add_to_upper_half(struct pair *pair, enum litmus_adder adder, struct uat_transport *second)
{
    uint64_t *w = pair->words, adds = 0;
    struct uat_op op = uat_op_fetch_add(w + LANDING, w + FLAG, 1ull << 32);
    for (; !load(w + DONE); adds++) {
        pair_look(pair);
        if (adder == LITMUS_CPU) /* sequentially consistent; pairs with nothing: an adapter's atomics ignore it */
            __atomic_fetch_add(w + FLAG, 1ull << 32, __ATOMIC_SEQ_CST);
        else if (!second)
            pair_do(pair, 0, &op, 1);
        else if (uat_transport_do(second, 0, &op, 1))
            break; /* the transport has printed why; the sums differ by nothing, because this addition is not counted */
    }
    return adds;
}

void litmus_add_add(struct pair *pair, struct board *board, struct litmus_result *r, enum litmus_adder adder)
{
    uint64_t *w = pair->words, *landing = w + LANDING, adds = 0;
    struct uat_transport *second = pair->rank == 0 && adder == LITMUS_SECOND_ADAPTER ? open_second(pair) : NULL;
    bool tried = adder != LITMUS_SECOND_ADAPTER || second;
    bool other = pair_meet(pair, tried);
    if (!(pair->rank == 0 ? tried : other))
        return;
    if (pair->rank == 1) {
        struct uat_op ops[UAT_CHAIN_MAX];
        for (int k = 0; k < UAT_CHAIN_MAX; k++)
            ops[k] = uat_op_fetch_add(landing + k, w + FLAG, 1);
        for (uint64_t i = 0; i < board->trials; i++)
            pair_do(pair, 0, ops, UAT_CHAIN_MAX);
        tell_done(pair);
    } else {
        adds = add_to_upper_half(pair, adder, second);
    }
    if (second)
        uat_transport_ibv.close(second);
    pair_meet(pair, 0);
    if (pair->rank == 0) {
        uint64_t word = load(w + FLAG), thief = board->trials * UAT_CHAIN_MAX;
        r->trials = thief + adds;
        r->seen = ((uint32_t)adds - (uint32_t)(word >> 32)) + ((uint32_t)thief - (uint32_t)word);
    }
}

/*
 * The thief posts an atomic on a word that has the value `start`, while the victim WRITEs `written` to it, through the
 * same adapter. If one took effect after the other, the word has `written` if the atomic found `start`, and else what
 * the atomic makes of `written`. The chains end with operations that are ordered after these two, so that the word has
 * its last value when both chains are complete.
 */
static void against_write(struct pair *pair, struct board *board, struct litmus_result *r, struct uat_op atomic,
                          uint64_t start, uint64_t written)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    uint64_t made = atomic.code == UAT_OP_FETCH_ADD ? written + atomic.operand : atomic.operand;
    if (atomic.code == UAT_OP_CMP_SWAP && written != atomic.compare)
        made = written;
    struct uat_op thief[] = {atomic, uat_op_read(landing + 1, w + FLAG, 8)};
    struct uat_op victim[] = {uat_op_write(landing, w + FLAG, 8), uat_op_fetch_add(landing + 1, w + DATA, 0)};
    for (uint64_t i = 0; i < board->trials; i++) {
        landing[0] = start;
        if (pair->rank == 0)
            pair_do(pair, 0, victim, 2);
        pair_meet(pair, 0);
        if (pair->rank == 0) {
            landing[0] = written;
            keep_distance(board, i);
            pair_do(pair, 0, victim, 2);
        } else {
            pair_do(pair, 0, thief, 2);
        }
        uint64_t found = pair_meet(pair, pair->rank == 1 ? (uint32_t)load(landing) : 0);
        if (pair->rank == 0) {
            r->trials++;
            r->seen += load(w + FLAG) != (found == start ? written : made);
        }
    }
}

void litmus_write_cmp_swap(struct pair *pair, struct board *board, struct litmus_result *r)
{
    struct uat_op swap = uat_op_cmp_swap(pair->words + LANDING, pair->words + FLAG, 1, 2);
    against_write(pair, board, r, swap, 1, 3);
}

void litmus_unlock_write(struct pair *pair, struct board *board, struct litmus_result *r)
{
    struct uat_op add = uat_op_fetch_add(pair->words + LANDING, pair->words + FLAG, 1);
    against_write(pair, board, r, add, 1, 0);
}

void litmus_unlock_swap(struct pair *pair, struct board *board, struct litmus_result *r)
{
    struct uat_op swap = uat_op_cmp_swap(pair->words + LANDING, pair->words + FLAG, 0, 1);
    against_write(pair, board, r, swap, 1, 0);
}

void litmus_cpu_adapter(struct pair *pair, struct board *board, struct litmus_result *r)
{
    litmus_add_add(pair, board, r, LITMUS_CPU);
}

void litmus_two_adapters(struct pair *pair, struct board *board, struct litmus_result *r)
{
    litmus_add_add(pair, board, r, LITMUS_SECOND_ADAPTER);
}
