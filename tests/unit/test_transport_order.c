/* SPDX-License-Identifier: MIT */
/*
 * Description: the order within and between chains (O1, O3-O5 of transport.h), as another worker's CPU and chains see
 * it while the chains run. Each test runs without torture, and with torture that makes every reordering that O2 allows.
 */
#include <string.h>

#include "base/relax.h"
#include "tests/test.h"
#include "tests/unit/peers.h"

enum { LINE = 8 /* words of a cache line */ };

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Run fn in `workers` workers, in the mode that the test's state names. */
static void run(void **state, int workers, peer_fn *fn, void *arg)
{
    struct peers_spec spec = {.transport = &PEERS_TRANSPORT, .workers = workers, .shuffle = *(bool *)*state, .seed = 7};
    assert_int_equal(peers_run(&spec, fn, arg), 0);
}

/* --- one worker's chain: an atomic sees the WRITEs before it, and a READ sees the atomics before it */

static void work_chain(struct peer *me, void *arg)
{
    uint64_t *local = (uint64_t *)me->data, *a = local + 64 + me->rank * 2 * LINE, *b = a + LINE;
    int peer = (me->rank + 1) % me->size;
    for (uint64_t i = 1; i <= 2000 / PEERS_SHARE; i++) {
        local[0] = 10 * i;
        local[1] = 30 * i;
        struct uat_op ops[UAT_CHAIN_MAX] = {
            uat_op_write(local, a, 8),
            uat_op_write(local + 1, b, 8),
            uat_op_read(local + 2, a, 8),
            uat_op_fetch_add(local + 3, a, 1),
            uat_op_cmp_swap(local + 4, b, 30 * i, 30 * i + 1),
            uat_op_read(local + 5, a, 8),
            uat_op_read(local + 6, b, 8),
        };
        PEER_CHECK(uat_transport_do(me->transport, peer, ops, 7) == 0);
        /* O2: no atomic lies between the WRITE and this READ. */
        PEER_CHECK(local[2] == (i > 1 ? 10 * i - 9 : 0) || local[2] == 10 * i || local[2] == 10 * i + 1);
        PEER_CHECK(local[3] == 10 * i && local[4] == 30 * i);
        PEER_CHECK(local[5] == 10 * i + 1 && local[6] == 30 * i + 1);
    }
}

static void test_chain(void **state)
{
    run(state, 2, work_chain, NULL);
}

/* --- a polling CPU sees two WRITEs and a FETCH_ADD: once it sees the FETCH_ADD, it sees all three (the chain of tell()
 * in runtime/job) */

enum { PAYLOAD = 16, MESSAGES = 20000 / PEERS_SHARE };

static void send_messages(struct peer *me, uint64_t *head, uint64_t *payload, uint64_t *count)
{
    uint64_t *source = (uint64_t *)me->data + 1024;
    for (uint64_t i = 1; i <= MESSAGES; i++) {
        for (int j = 0; j < PAYLOAD; j++)
            source[j] = i;
        struct uat_op ops[] = {uat_op_write(source, head, 8), uat_op_write(source, payload, PAYLOAD * 8),
                               uat_op_fetch_add(source + PAYLOAD, count, 1)};
        if (i % 2) { /* O5: as one chain or as separate chains */
            PEER_CHECK(uat_transport_post_unsignaled(me->transport, 0, ops, 1) == 0);
            PEER_CHECK(uat_transport_do(me->transport, 0, ops + 1, 2) == 0);
        } else {
            PEER_CHECK(uat_transport_do(me->transport, 0, ops, 3) == 0);
        }
    }
}

static void work_messages(struct peer *me, void *arg)
{
    uint64_t *payload = (uint64_t *)me->data, *count = payload + 64, *head = payload + 128;
    if (me->rank == 1) {
        send_messages(me, head, payload, count);
        return;
    }
    struct uat_relax relax = {0};
    for (uint64_t counted = 0; counted < MESSAGES; uat_relax(&relax)) {
        counted = load(count);
        PEER_CHECK(load(head) >= counted);
        for (int j = 0; j < PAYLOAD; j++)
            PEER_CHECK(load(payload + (j * 5) % PAYLOAD) >= counted);
    }
}

static void test_messages(void **state)
{
    run(state, 2, work_messages, NULL);
}

/* --- two workers each store one word and then load the other word: at least one worker sees the other's store
 * (Dekker) */

enum litmus { ATOMIC_READ, WRITE_ATOMIC_READ, TWO_CHAINS, CHAIN_AGAINST_CHAIN, LITMUS_KINDS };
enum { TRIALS = 10000 / PEERS_SHARE, ROOM = 64 /* pairs of words, used in turn */ };

struct litmus_board {
    uint64_t at[2];          /* the trial that each worker has reached */
    uint64_t saw[2][TRIALS]; /* what each worker read in each trial */
};

/* Both workers start at almost the same time; the trials go through all small time differences. A missing fence shows
 * only if the two stores fall into the same few nanoseconds. */
static void meet(struct litmus_board *board, int rank, uint64_t trial)
{
    struct uat_relax relax = {0};
    __atomic_store_n(&board->at[rank], trial, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&board->at[1 - rank], __ATOMIC_SEQ_CST) < trial)
        uat_relax(&relax);
    uint64_t distance = rank ? trial / 256 % 8 * 8 : trial % 256;
    for (volatile uint64_t i = 0; i < distance; i++)
        ;
}

/* Set *mine in worker 0's segment, then read *theirs, by chains of this kind. */
static uint64_t set_and_read(struct peer *me, enum litmus kind, uint64_t *mine, const uint64_t *theirs)
{
    uint64_t *local = (uint64_t *)me->data + me->data_size / 8 - 16;
    uint64_t *other = mine + 1; /* the word of the atomic between the WRITE and the READs */
    struct uat_op set = uat_op_cmp_swap(local + 1, mine, 0, 1), between = uat_op_fetch_add(local + 6, other, 1);
    struct uat_op reads[] = {uat_op_read(local + 2, theirs, 8), uat_op_read(local + 4, theirs, 16)};
    struct uat_op ops[] = {set, reads[0], reads[1], reads[1]};
    int count = 3;
    local[0] = 1;
    if (kind == WRITE_ATOMIC_READ) {
        ops[0] = uat_op_write(local, mine, 8);
        ops[1] = between;
        ops[2] = reads[0];
        count = 4;
    }
    if (kind == TWO_CHAINS) {
        PEER_CHECK(uat_transport_post_unsignaled(me->transport, 0, ops, 1) == 0);
        PEER_CHECK(uat_transport_do(me->transport, 0, reads, 2) == 0);
    } else {
        PEER_CHECK(uat_transport_do(me->transport, 0, ops, count) == 0);
    }
    return local[2] & local[4]; /* each READ must see the value */
}

static void litmus(struct peer *me, struct litmus_board *board, enum litmus kind)
{
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        uint64_t *x = (uint64_t *)me->data + trial % ROOM * 2 * LINE, *y = x + LINE;
        uint64_t *mine = me->rank ? x : y, *theirs = me->rank ? y : x;
        if (trial % ROOM == 0) {
            peer_barrier(me);
            if (me->rank == 0)
                memset(me->data, 0, ROOM * 2 * LINE * sizeof(uint64_t));
            peer_barrier(me);
        }
        meet(board, me->rank, kind * TRIALS + trial + 1);
        if (me->rank == 0 && kind != CHAIN_AGAINST_CHAIN) {
            store(mine, 1);
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the owner's fence; pairs with the chain's order, O1 */
            board->saw[0][trial] = load(theirs);
        } else {
            board->saw[me->rank][trial] = set_and_read(me, kind, mine, theirs);
        }
    }
    peer_barrier(me);
    for (int trial = 0; me->rank == 0 && trial < TRIALS; trial++)
        PEER_CHECK(board->saw[0][trial] || board->saw[1][trial]);
    peer_barrier(me);
}

static void work_litmus(struct peer *me, void *arg)
{
    for (int kind = 0; kind < LITMUS_KINDS; kind++)
        litmus(me, arg, (enum litmus)kind);
}

static void test_litmus(void **state)
{
    struct litmus_board *board = peers_share(sizeof(*board));
    run(state, 2, work_litmus, board);
    peers_unshare(board, sizeof(*board));
}

/* --- words are whole (O4): a CPU and WRITEs change words while a CPU and READs read them */

/* A copy by half words is detected within 40000 rounds, but rarely within 3000. On an emulated device 40000 rounds take
 * too long. */
enum { TORN_WORDS = 64, TORN_ROUNDS = PEERS_SHARE == 1 ? 40000 : 3000 / PEERS_SHARE };

static bool whole(const uint64_t *words)
{
    for (int i = 0; i < TORN_WORDS; i++) {
        uint64_t word = load(words + i);
        if (word >> 32 != (word & 0xffffffff))
            return false;
    }
    return true;
}

static void fill(uint64_t *words, uint64_t value)
{
    for (int i = 0; i < TORN_WORDS; i++)
        store(words + i, value << 32 | value);
}

static void work_torn(struct peer *me, void *arg)
{
    uint64_t *stored = (uint64_t *)me->data, *written = stored + TORN_WORDS, *ready = written + TORN_WORDS;
    uint64_t *landing = ready + LINE, *source = landing + 2 * TORN_WORDS, *old = source + TORN_WORDS;
    struct uat_op finish = uat_op_fetch_add(old, ready, 1), end = uat_op_read(landing, stored, 2 * TORN_WORDS * 8);
    for (uint64_t i = 1; me->rank == 0 && load(ready) < 2; i++) {
        fill(stored, i & 0xffffffff);
        PEER_CHECK(whole(written));
        if (i % 256 == 0)
            sched_yield();
    }
    for (uint64_t i = 1; me->rank > 0 && i <= TORN_ROUNDS; i++) {
        fill(source, ~i & 0xffffffff);
        struct uat_op write = uat_op_write(source, written, TORN_WORDS * 8);
        if (me->rank == 1)
            PEER_CHECK(uat_transport_do(me->transport, 0, &write, 1) == 0);
        PEER_CHECK(uat_transport_do(me->transport, 0, &end, 1) == 0);
        PEER_CHECK(whole(landing) && whole(landing + TORN_WORDS));
    }
    if (me->rank > 0)
        PEER_CHECK(uat_transport_do(me->transport, 0, &finish, 1) == 0);
}

static void test_torn(void **state)
{
    run(state, 3, work_torn, NULL);
}

int main(void)
{
    if (!peers_ready(&PEERS_TRANSPORT))
        return 77;
    const struct CMUnitTest tests[] = {BOTH(test_chain), BOTH(test_messages), BOTH(test_litmus), BOTH(test_torn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
