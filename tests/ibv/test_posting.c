/* SPDX-License-Identifier: MIT */
/*
 * Description: how chains become requests. The cases are: payloads that are not inline; full queues; the fences that
 * only targets with PCIe atomics get; the numbers of requests and doorbells per chain, which are 0 for a READ or a
 * WRITE to a neighbour.
 */
#include <string.h>

#include "tests/test.h"
#include "tests/unit/peers.h"
#include "transport_ibv/ibv.h"

static void join_all(struct peer *me)
{
    PEER_CHECK(peer_open(me) == 0 && peer_publish(me) == 0 && peer_connect(me) == 0);
    peer_barrier(me);
}

/* --- payloads that the device does not take inline, and full queues */

static void work_slots(struct peer *me, void *arg)
{
    enum { ROUNDS = 3000, WORDS = UAT_UNSIGNALED_WRITE_MAX / 8 };
    uint64_t *source = (uint64_t *)me->data, *box = source + 512, *count = source + 1024;
    join_all(me);
    struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    ibv->inline_max = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (round == ROUNDS - 7) /* WRITEs are not ordered, so the last WRITE to each box must be posted after all other
                                  * WRITEs */
            PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
        for (int i = 0; i < WORDS; i++)
            source[i] = round;
        struct uat_op ops[] = {uat_op_write(source, box + (me->rank + round % 8 * 2) * WORDS, UAT_UNSIGNALED_WRITE_MAX),
                               uat_op_fetch_add(NULL, count, 1)};
        PEER_CHECK(uat_transport_post_unsignaled(me->transport, (int)(round % 2), ops, 2) == 0);
        memset(source, 0xee, UAT_UNSIGNALED_WRITE_MAX);
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    PEER_CHECK(ibv->free_count == UAT_IBV_SLOTS && ibv->signalled == 0);
    peer_barrier(me);
    PEER_CHECK(__atomic_load_n(count, __ATOMIC_ACQUIRE) == ROUNDS);
    for (uint64_t round = ROUNDS - 7; round <= ROUNDS; round++)
        for (int i = 0; (int)(round % 2) == me->rank && i < 2 * WORDS; i++)
            PEER_CHECK(box[round % 8 * 2 * WORDS + i] == round);
    peer_barrier(me);
}

static void test_slots(void **state)
{
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_slots, NULL), 0);
}

/* --- the words of flush(): connections to different workers of a group use addresses with different colours */

static void work_colours(struct peer *me, void *arg)
{
    uintptr_t(*low)[PEERS_MAX] = arg; /* first index: the worker that flushes; second: the worker at the far end */
    join_all(me);
    struct uat_ibv *ibv = (struct uat_ibv *)me->transport;
    for (int i = 0; i < ibv->connection_count; i++) {
        const struct uat_ibv_connection *c = &ibv->connections[i];
        PEER_CHECK(c->colour >= 0 && c->colour < UAT_COLOURS);
        low[me->rank][c->rank] = (uintptr_t)ibv->scratch->flushed[c->colour] & 0xfff;
        struct uat_op op = uat_op_fetch_add(&ibv->scratch->sink, ibv->scratch->flushed[c->colour], 0);
        PEER_CHECK(uat_transport_do(me->transport, c->rank, &op, 1) == 0);
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    peer_barrier(me);
    for (int i = 0; me->rank == 0 && i < me->size * me->size; i++)
        for (int k = 0; k < me->size * me->size; k++) {
            uintptr_t a = low[i / me->size][i % me->size], b = low[k / me->size][k % me->size];
            PEER_CHECK(!a || !b || (a == b) == (i % me->size == k % me->size));
        }
    for (int i = 0; i < UAT_COLOURS; i++) /* atomics add 0, so the words stay 0 */
        PEER_CHECK(__atomic_load_n(ibv->scratch->flushed[i], __ATOMIC_ACQUIRE) == 0);
    peer_barrier(me);
}

static void test_colours(void **state)
{
    size_t size = sizeof(uintptr_t) * PEERS_MAX * PEERS_MAX;
    void *low = peers_share(size);
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 4, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_colours, low), 0);
    peers_unshare(low, size);
}

/* --- fences; no other worker is active, because Soft-RoCE can stall on fences under contention */

/* Post a chain; returns the number of round trips that it counts. */
static uint64_t trips_of(struct peer *me, const struct uat_op *ops, int count)
{
    uint64_t before = me->transport->round_trips;
    PEER_CHECK(uat_transport_do(me->transport, 1, ops, count) == 0);
    return me->transport->round_trips - before;
}

static void work_fences(struct peer *me, void *arg)
{
    uint64_t *local = (uint64_t *)me->data, *word = local + 512;
    join_all(me);
    struct uat_ibv_connection *way = uat_ibv_way((struct uat_ibv *)me->transport, 1);
    PEER_CHECK(!way->fence); /* Soft-RoCE itself carries out its atomics */
    struct uat_op chain[] = {uat_op_fetch_add(local, word, 1),     uat_op_read(local + 1, word, 8),
                             uat_op_read(local + 2, word, 8),      uat_op_fetch_add(local + 3, word, 1),
                             uat_op_write(local + 8, word + 8, 8), uat_op_fetch_add(local + 4, word, 1)};
    for (uint64_t i = 0; me->rank == 0 && i < 50; i++) {
        way->fence = i % 2;
        PEER_CHECK(trips_of(me, chain, 3) == 1 + i % 2); /* one fence for both READs */
        PEER_CHECK(local[0] == 7 * i && local[1] == 7 * i + 1 && local[2] == 7 * i + 1);
        PEER_CHECK(trips_of(me, chain + 1, 2) == 1);     /* the preceding atomic is complete */
        PEER_CHECK(trips_of(me, chain, 6) == 1 + i % 2); /* the READs wait; the WRITE and the last atomic do not */
        struct uat_op forgotten = uat_op_fetch_add(NULL, word, 3);
        PEER_CHECK(uat_transport_post_unsignaled(me->transport, 1, &forgotten, 1) == 0);
        PEER_CHECK(trips_of(me, chain + 1, 1) == 1 + i % 2); /* the next chain also needs the fence */
        PEER_CHECK(local[1] == 7 * i + 7);
    }
    way->fence = false;
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    peer_barrier(me);
}

static void test_fences(void **state)
{
    struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = *state};
    assert_int_equal(peers_run(&spec, work_fences, NULL), 0);
}

/* --- requests and doorbells */

/* Run a chain to the other worker, and check its number of requests and doorbells. */
static void expect_cost(struct peer *me, const struct uat_op *ops, int count, uint64_t requests, uint64_t doorbells)
{
    const struct uat_transport before = *me->transport, *now = me->transport;
    PEER_CHECK(uat_transport_do(me->transport, 1 - me->rank, ops, count) == 0);
    uint64_t n = 0;
    for (int i = 0; i < UAT_OP_KINDS; i++)
        n += now->requests[i] - before.requests[i];
    if (n != requests || now->doorbells - before.doorbells != doorbells)
        fprintf(stderr, "%llu requests and %llu doorbells, not %llu and %llu\n", (unsigned long long)n,
                (unsigned long long)(now->doorbells - before.doorbells), (unsigned long long)requests,
                (unsigned long long)doorbells);
    PEER_CHECK(n == requests && now->doorbells - before.doorbells == doorbells);
}

static void work_costs(struct peer *me, void *arg)
{
    const struct uat_ibv_settings *settings = &uat_ibv_settings;
    bool near = settings->connect == UAT_CONNECT_HOST, alone = settings->post == UAT_POST_ALONE;
    uint64_t *local = (uint64_t *)me->data, *word = local + 512;
    join_all(me);
    struct uat_op peek = uat_op_read(local, word, 272), write = uat_op_write(local, word + 64, 8);
    struct uat_op claim[] = {uat_op_cmp_swap(local + 40, word + 128, 0, 0), uat_op_read(local, word, 16),
                             uat_op_read(local + 64, word, 1024)};
    for (int i = 0; i < 20; i++) {
        expect_cost(me, &peek, 1, near ? 0 : 1, near ? 0 : 1);
        expect_cost(me, &write, 1, near ? 0 : 1, near ? 0 : 1);
        expect_cost(me, claim, 3, 3, alone ? 2 : 1);
        expect_cost(me, claim, 1, 1, 1);
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    peer_barrier(me);
}

static void test_costs(void **state)
{
    static const char *const ways[] = {"UAT_CONNECT=host", "UAT_CONNECT=host,post=alone", "UAT_CONNECT=worker",
                                       "UAT_CONNECT=worker,post=alone"};
    for (int i = 0; i < 4; i++) {
        char *env[] = {(char *)ways[i], NULL};
        struct peers_spec spec = {.transport = &uat_transport_ibv, .workers = 2, .apart = true, .settings = env};
        assert_int_equal(peers_run(&spec, work_costs, NULL), 0);
    }
}

int main(void)
{
    if (!peers_ready(&uat_transport_ibv))
        return 77;
    /* Request a connection to each worker, so that every operation goes through the adapter. */
    static char *const workers[] = {"UAT_CONNECT=worker", NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_slots, (void *)workers),
        cmocka_unit_test_prestate(test_colours, (void *)workers), cmocka_unit_test(test_colours),
        cmocka_unit_test_prestate(test_fences, (void *)workers), cmocka_unit_test(test_costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
