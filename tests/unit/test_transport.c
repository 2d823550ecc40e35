/* SPDX-License-Identifier: MIT */
/*
 * Description: every operation of a transport, and the promises O5 to O7 of transport.h, tested by forked workers on
 * one host. test_transport_order tests the order of operations. Each test runs without torture, and with torture that
 * makes every reordering that O2 allows.
 */
#include <errno.h>
#include <string.h>

#include "tests/test.h"
#include "tests/unit/peers.h"

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Run fn in `workers` workers, in the mode that the test's state names. */
static void run(void **state, int workers, peer_fn *fn, void *arg)
{
    struct peers_spec spec = {
        .transport = &PEERS_TRANSPORT, .workers = workers, .shuffle = *(bool *)*state, .seed = 42};
    assert_int_equal(peers_run(&spec, fn, arg), 0);
}

static int do_one(struct peer *me, int peer, struct uat_op op)
{
    return uat_transport_do(me->transport, peer, &op, 1);
}

static int lines_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* --- each kind of operation, to every peer and to the worker itself */

enum { LARGE_WORDS = 75001 };

static void copy_there_and_back(struct peer *me, int peer, size_t words)
{
    uint64_t *source = (uint64_t *)me->data, *landing = source + LARGE_WORDS;
    uint64_t *remote = landing + LARGE_WORDS + 1 + (size_t)me->rank * LARGE_WORDS;
    for (size_t i = 0; i < words; i++)
        source[i] = words * 1000003 + i * 17 + (size_t)me->rank;
    memset(landing, 0xee, (words + 1) * 8);
    PEER_CHECK(do_one(me, peer, uat_op_write(source, remote, words * 8)) == 0);
    PEER_CHECK(do_one(me, peer, uat_op_read(landing, remote, words * 8)) == 0);
    PEER_CHECK(memcmp(source, landing, words * 8) == 0);
    PEER_CHECK(landing[words] == 0xeeeeeeeeeeeeeeee);
}

static void work_kinds(struct peer *me, void *arg)
{
    static const size_t sizes[] = {0, 1, 3, 4, 9, 512, 513, 8192, LARGE_WORDS};
    uint64_t *old = (uint64_t *)me->data, *mine = (uint64_t *)(me->data + 4096) + me->rank;
    for (int peer = 0; peer < me->size; peer++) {
        PEER_CHECK(do_one(me, peer, uat_op_fetch_add(old, mine, 5)) == 0 && *old == 0);
        PEER_CHECK(do_one(me, peer, uat_op_fetch_add(old, mine, (uint64_t)-2)) == 0 && *old == 5);
        PEER_CHECK(do_one(me, peer, uat_op_cmp_swap(old, mine, 3, 70)) == 0 && *old == 3);
        PEER_CHECK(do_one(me, peer, uat_op_cmp_swap(old, mine, 3, 80)) == 0 && *old == 70);
        PEER_CHECK(do_one(me, peer, uat_op_read(old, mine, 8)) == 0 && *old == 70);
    }
    peer_barrier(me);
    for (int i = 0; i < me->size; i++)
        PEER_CHECK(load((uint64_t *)(me->data + 4096) + i) == 70);
    peer_barrier(me);
    for (int peer = 0; peer < me->size; peer++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            copy_there_and_back(me, peer, sizes[i]);
    const struct uat_transport *t = me->transport;
    uint64_t n = (uint64_t)me->size, words = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        words += sizes[i];
    PEER_CHECK(t->ops[UAT_OP_FETCH_ADD] == 2 * n && t->ops[UAT_OP_CMP_SWAP] == 2 * n);
    PEER_CHECK(t->ops[UAT_OP_WRITE] == 9 * n && t->ops[UAT_OP_READ] == 10 * n);
    PEER_CHECK(t->bytes_written == 8 * words * n && t->bytes_read == 8 * (words + 1) * n);
    PEER_CHECK(t->round_trips == 23 * n);
}

static void test_kinds(void **state)
{
    run(state, 3, work_kinds, NULL);
}

static void test_alone(void **state)
{
    run(state, 1, work_kinds, NULL);
}

/* --- several chains to several peers in flight at once */

enum { CHAINS = 40 }; /* per peer; for all peers together, the transport does not have enough room initially */

static void work_flights(struct peer *me, void *arg)
{
    static struct uat_pending pending[PEERS_MAX * CHAINS], *list[PEERS_MAX * CHAINS];
    uint64_t *old = (uint64_t *)me->data, *seen = old + 1024, *counters = old + 2048;
    int n = me->size * CHAINS;
    for (int i = 0; i < n; i++) {
        struct uat_op ops[] = {uat_op_fetch_add(old + i, counters + me->rank, 1),
                               uat_op_read(seen + i, counters + me->rank, 8)};
        PEER_CHECK(uat_transport_post(me->transport, i % me->size, ops, 2, &pending[i]) == 0);
        PEER_CHECK(!pending[i].done);    /* only progress sets it, never the post */
        list[(i * 7) % n] = &pending[i]; /* the waits and the posts have different orders */
    }
    uint64_t before = me->transport->round_trips;
    PEER_CHECK(uat_transport_wait(me->transport, list, n) == 0);
    PEER_CHECK(me->transport->round_trips == before + 1);
    uint64_t found[PEERS_MAX] = {0}; /* per peer: bit v is set if an atomic returned the value v; atomics may take
                                      * effect in any order (O2) */
    for (int i = 0; i < n; i++) {
        PEER_CHECK(pending[i].done);
        PEER_CHECK(old[i] < CHAINS && seen[i] >= old[i] + 1 && seen[i] <= CHAINS);
        PEER_CHECK(seen[i] >= (uint64_t)(i / me->size) + 1); /* O5: the value includes the atomics of all chains before
                                                              * this READ */
        found[i % me->size] |= UINT64_C(1) << old[i];
    }
    for (int peer = 0; peer < me->size; peer++)
        PEER_CHECK(found[peer] == (UINT64_C(1) << CHAINS) - 1);
}

static void test_flights(void **state)
{
    run(state, 4, work_flights, NULL);
}

/* --- fire and forget */

static void work_forget(struct peer *me, void *arg)
{
    enum { ROUNDS = 300, WORDS = UAT_UNSIGNALED_WRITE_MAX / 8 };
    uint64_t *source = (uint64_t *)me->data, *box = source + 512 + me->rank * 16, *count = source + 1024;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (round == ROUNDS) /* WRITEs are not ordered, so the last ones must be posted after all others */
            PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
        for (int peer = 0; peer < me->size; peer++) {
            for (int i = 0; i < WORDS; i++)
                source[i] = round;
            struct uat_op ops[] = {uat_op_write(source, box, UAT_UNSIGNALED_WRITE_MAX),
                                   uat_op_fetch_add(NULL, count, 1)};
            PEER_CHECK(uat_transport_post_unsignaled(me->transport, peer, ops, 2) == 0);
            memset(source, 0xee, UAT_UNSIGNALED_WRITE_MAX); /* the transport has already copied it */
        }
    }
    PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
    peer_barrier(me);
    PEER_CHECK(load(count) == (uint64_t)(ROUNDS * me->size));
    for (int i = 0; i < me->size; i++)
        for (int j = 0; j < WORDS; j++)
            PEER_CHECK(load(source + 512 + i * 16 + j) == ROUNDS);
    struct uat_op read = uat_op_read(source, box, 8);
    int capture = peer_capture(); /* the refusals below are expected */
    PEER_CHECK(uat_transport_post_unsignaled(me->transport, 0, &read, 1) == -EINVAL);
    struct uat_op longer = uat_op_write(source, box, UAT_UNSIGNALED_WRITE_MAX + 8);
    PEER_CHECK(uat_transport_post_unsignaled(me->transport, 0, &longer, 1) == -EINVAL);
    char lines[1024];
    peer_captured(capture, lines, sizeof(lines));
    PEER_CHECK(strstr(lines, "READ") && strstr(lines, "WRITE of 72 bytes") && lines_of(lines) == 2);
}

static void test_forget(void **state)
{
    run(state, 3, work_forget, NULL);
}

/* --- after flush() everything that was posted is in memory, where a CPU sees it */

static void work_quiet(struct peer *me, void *arg)
{
    uint64_t *source = (uint64_t *)me->data, *word = source + 64, *count = source + 128;
    for (uint64_t round = 1; round <= 4000 / PEERS_SHARE; round++) {
        *source = round;
        struct uat_op ops[] = {uat_op_write(source, word, 8), uat_op_fetch_add(NULL, count, 1)};
        PEER_CHECK(uat_transport_post_unsignaled(me->transport, me->rank, ops + round % 2, 1) == 0);
        PEER_CHECK(me->transport->class_->flush(me->transport) == 0);
        PEER_CHECK(load(word) == round - round % 2 && load(count) == (round + 1) / 2);
    }
}

static void test_quiet(void **state)
{
    run(state, 2, work_quiet, NULL);
}

/* --- an operation outside the segment is refused, and no operation of its chain takes effect */

static void work_bounds(struct peer *me, void *arg)
{
    uint64_t *word = (uint64_t *)me->data, outside = 0;
    char *start = me->segment, *end = me->data + me->data_size;
    struct {
        struct uat_op op;
        int result;
    } cases[] = {
        {uat_op_read(word, end, 8), -EFAULT},
        {uat_op_read(word, end - 8, 16), -EFAULT},
        {uat_op_write(word, start - 8, 8), -EFAULT},
        {uat_op_write(word, start - 8, 16), -EFAULT},
        {uat_op_write(word, &outside, 8), -EFAULT},
        {uat_op_fetch_add(word, (uint64_t *)end, 1), -EFAULT},
        {uat_op_cmp_swap(word, NULL, 0, 1), -EFAULT},
        {uat_op_read(&outside, word, 8), -EFAULT},
        {uat_op_fetch_add(NULL, word, 1), -EFAULT},
        {uat_op_read(word, me->data + 4, 8), -EINVAL},
        {uat_op_write(me->data + 4, word, 8), -EINVAL},
        {uat_op_read(word, me->data, 12), -EINVAL},
        {{.code = UAT_OP_FETCH_ADD, .size = 16, .local = word, .remote = word}, -EINVAL},
        {{.code = UAT_OP_KINDS, .size = 8, .local = word, .remote = word}, -EINVAL},
        {uat_op_read(end - 8, end - 8, 8), 0},
        {uat_op_read(end, end, 0), 0},
    };
    uint64_t expected = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uat_op ops[] = {uat_op_fetch_add(word + 8, word + 16, 1), cases[i].op};
        char lines[1024];
        int capture = peer_capture();
        PEER_CHECK(uat_transport_do(me->transport, 1 - me->rank, ops, 2) == cases[i].result);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(lines_of(lines) == (cases[i].result != 0));
        expected += cases[i].result == 0;
    }
    /* Ranks that do not exist, but that a word written by a peer may contain. */
    const int ranks[] = {-1, me->size, 2000000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        struct uat_op op = uat_op_fetch_add(word + 8, word + 16, 1);
        char lines[1024];
        int capture = peer_capture();
        PEER_CHECK(uat_transport_do(me->transport, ranks[i], &op, 1) == -EINVAL);
        peer_captured(capture, lines, sizeof(lines));
        PEER_CHECK(lines_of(lines) == 1 && strstr(lines, "there are ranks 0 to "));
    }
    peer_barrier(me);
    PEER_CHECK(load(word + 16) == expected && outside == 0);
    PEER_CHECK(me->transport->ops[UAT_OP_FETCH_ADD] == expected);
}

static void test_bounds(void **state)
{
    run(state, 2, work_bounds, NULL);
}

/* --- atomics are atomic among themselves (O6) */

enum { CLAIMS = 20000 / PEERS_SHARE };

struct claims {
    uint8_t added[CLAIMS], swapped[CLAIMS]; /* number of workers that found each value by an addition or a swap */
    uint64_t losses;
};

static void work_atomics(struct peer *me, void *arg)
{
    struct claims *claims = arg;
    uint64_t *old = (uint64_t *)me->data, *sum = old + 64, *next = old + 128;
    for (int i = 0; i < CLAIMS / me->size; i++) {
        PEER_CHECK(do_one(me, 0, uat_op_fetch_add(old, sum, 1)) == 0);
        PEER_CHECK(*old < CLAIMS && __atomic_fetch_add(&claims->added[*old], 1, __ATOMIC_RELAXED) == 0);
    }
    for (uint64_t at = 0; at < CLAIMS; at = *old + (*old == at)) {
        PEER_CHECK(do_one(me, 0, uat_op_cmp_swap(old, next, at, at + 1)) == 0);
        if (*old == at)
            PEER_CHECK(__atomic_fetch_add(&claims->swapped[at], 1, __ATOMIC_RELAXED) == 0);
        else
            __atomic_fetch_add(&claims->losses, 1, __ATOMIC_RELAXED);
    }
    peer_barrier(me);
    if (me->rank == 0)
        PEER_CHECK(load(sum) == CLAIMS && load(next) == CLAIMS);
}

static void test_atomics(void **state)
{
    struct claims *claims = peers_share(sizeof(*claims));
    run(state, 4, work_atomics, claims);
    for (int i = 0; i < CLAIMS; i++) {
        assert_int_equal(claims->added[i], 1);
        assert_int_equal(claims->swapped[i], 1);
    }
    assert_true(claims->losses > 0); /* otherwise the workers' swaps never overlapped */
    peers_unshare(claims, sizeof(*claims));
}

int main(void)
{
    if (!peers_ready(&PEERS_TRANSPORT))
        return 77;
    const struct CMUnitTest tests[] = {BOTH(test_kinds), BOTH(test_alone),  BOTH(test_flights), BOTH(test_forget),
                                       BOTH(test_quiet), BOTH(test_bounds), BOTH(test_atomics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
