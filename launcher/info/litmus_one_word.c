/* SPDX-License-Identifier: MIT */
/* Litmus tests of one word that two sides change. */
#include "launcher/info/litmus_test.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "transport_ibv/devices.h"
#include "transport_ibv/endpoint.h"
#include "transport_ibv/settings.h"

static void drop(const char *format, const char *line, const char *text)
{
    (void)format;
    (void)line;
    (void)text;
}

/* Open another transport of the victim over its segment, through a device, and connect it to itself. Returns 0 or a
 * negative errno without a line about the error: its advice would be about a job's adapter. */
static int open_through(const char *device, const struct pair *pair, struct uat_transport **out)
{
    struct uat_ibv_settings saved = uat_ibv_settings;
    struct uat_transport_config config = {.size = 1,
                                          .host = pair->hosts[pair->rank],
                                          .segment = pair->segment,
                                          .segment_size = PAIR_SEGMENT,
                                          .segment_fd = -1,
                                          .scratch = pair->segment};
    char blob[UAT_ENDPOINT_MAX];
    struct uat_endpoint self = {.data = blob, .host = config.host};
    snprintf(uat_ibv_settings.device, sizeof(uat_ibv_settings.device), "%s", device);
    uat_ibv_settings.port = 0;
    uat_log_errors_to(drop);
    int rc = uat_transport_ibv.open(&config, out);
    if (!rc)
        rc = uat_transport_ibv.attach_info(*out, blob, &self.size);
    if (!rc)
        rc = uat_transport_ibv.attach(*out, &self);
    if (!rc)
        rc = uat_transport_ibv.endpoint(*out, blob, &self.size);
    if (!rc)
        rc = uat_transport_ibv.connect(*out, &self);
    uat_log_errors_to(NULL);
    uat_ibv_settings = saved;
    return rc;
}

/* Open the second transport through the first other adapter that can be used. NULL if this host has none; if it has
 * adapters that cannot be used, prints a line about the last one. */
static struct uat_transport *open_second(const struct pair *pair)
{
    const char *used = uat_ibv_of(pair->transport)->port.device;
    char device[IBV_SYSFS_NAME_MAX] = "";
    int n, rc = 0;
    for (int i = 0;; i++) {
        struct uat_transport *second = NULL;
        struct ibv_device *const *devices = uat_ibv_devices(&n);
        if (!devices || i >= n)
            break;
        if (!strcmp(ibv_get_device_name(devices[i]), used))
            continue;
        snprintf(device, sizeof(device), "%s", ibv_get_device_name(devices[i]));
        rc = open_through(device, pair, &second); /* this may close the list */
        if (!rc)
            return second;
        if (second)
            uat_transport_ibv.close(second);
    }
    uat_ibv_contexts_close();
    if (rc)
        uat_warn("no second adapter for the litmus test two-adapters: %s cannot be used: %s", device, strerror(-rc));
    return NULL;
}

/* The victim adds to the upper half of the word until the thief has done its last addition. *adds: the number of
 * additions. Returns false if the second adapter fails. */
static bool add_to_upper_half(struct pair *pair, enum litmus_adder adder, struct uat_transport *second, uint64_t *adds)
{
    uint64_t *w = pair->words;
    struct uat_op op = uat_op_fetch_add(w + LANDING, w + FLAG, 1ull << 32);
    for (; !load(w + DONE); ++*adds) {
        pair_look(pair);
        if (adder == LITMUS_CPU) /* sequentially consistent; pairs with nothing: an adapter's atomics ignore it */
            __atomic_fetch_add(w + FLAG, 1ull << 32, __ATOMIC_SEQ_CST);
        else if (!second)
            pair_do(pair, 0, &op, 1);
        else if (uat_transport_do(second, 0, &op, 1))
            return false; /* the transport has printed why */
    }
    return true;
}

void litmus_add_add(struct pair *pair, struct board *board, struct litmus_result *r, enum litmus_adder adder)
{
    uint64_t *w = pair->words, *landing = w + LANDING, adds = 0;
    struct uat_transport *second = pair->rank == 0 && adder == LITMUS_SECOND_ADAPTER ? open_second(pair) : NULL;
    bool tried = adder != LITMUS_SECOND_ADAPTER || second;
    bool other = pair_meet(pair, tried), whole = true;
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
        whole = add_to_upper_half(pair, adder, second, &adds);
    }
    if (second)
        uat_transport_ibv.close(second);
    pair_meet(pair, 0);
    if (pair->rank == 0 && whole) { /* an addition that failed may have changed the word */
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
