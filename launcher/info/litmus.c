/* SPDX-License-Identifier: MIT */
/* The litmus tests of what the protocols rely on, and the run of all tests. */
#include "launcher/info/litmus_test.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { TRIPS = 16 /* round trips to measure; the shortest one counts */ };

/* Start a test: set the words of both processes to zero, and wait until both have done so. */
static void clear(struct pair *pair)
{
    pair_meet(pair, 0);
    memset(pair->words, 0, ALL * sizeof(uint64_t));
    pair_meet(pair, 0);
}

/* A CMP_SWAP takes effect before a later READ of the same chain. */
static void cmp_swap_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    for (uint64_t i = 0; pair->rank == 1 && i < board->trials; i++) {
        struct uat_op ops[] = {uat_op_cmp_swap(landing, w + FLAG, i, i + 1), uat_op_read(landing + 1, w + FLAG, 8)};
        landing[0] = landing[1] = UINT64_MAX;
        pair_do(pair, 0, ops, 2);
        r->trials++;
        r->seen += load(landing) != i || load(landing + 1) != i + 1;
    }
}

/* A claim { CMP_SWAP flag; READ data } races with a pop { store data; full fence; load flag }. At least one side must
 * see the other's write. */
static void claim_pop(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    for (uint64_t i = 0; i < board->trials; i++) {
        bool saw;
        pair_meet(pair, 0);
        if (pair->rank == 1) {
            struct uat_op ops[] = {uat_op_cmp_swap(landing, w + FLAG, i, i + 1), uat_op_read(landing + 1, w + DATA, 8)};
            pair_do(pair, 0, ops, 2);
            saw = load(landing + 1) == i + 1;
        } else {
            keep_distance(board, i);
            __atomic_store_n(w + DATA, i + 1, __ATOMIC_RELAXED);
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* orders the store before the load; pairs with the order of the
                                                      * chain's operations */
            saw = load(w + FLAG) == i + 1;
        }
        bool other_saw = pair_meet(pair, saw);
        if (pair->rank == 1) {
            r->trials++;
            r->seen += !saw && !other_saw;
        }
    }
}

void litmus_look_back(struct pair *pair, struct board *board, struct litmus_result *r, const struct uat_op *ops,
                      int count, int last, int first, int words)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    for (uint64_t i = 1; i <= board->trials; i++) {
        if (pair->rank == 1) {
            for (int k = 0; k < PAYLOAD_WORDS; k++)
                landing[8 + k] = i;
            pair_do(pair, 0, ops, count);
        } else {
            bool stale = false;
            while (load(w + last) < i) {
                pair_look(pair);
                sched_yield();
            }
            for (int k = 0; k < words; k++)
                stale |= load(w + first + (k * 5) % words) != i;
            r->trials++;
            r->seen += stale;
        }
        pair_meet(pair, 0);
    }
}

/* A WRITE is complete in memory before a later atomic of the same chain takes effect. The victim's CPU checks. */
static void write_fetch_add(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op ops[] = {uat_op_write(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8),
                           uat_op_fetch_add(landing, w + FLAG, 1)};
    litmus_look_back(pair, board, r, ops, 2, FLAG, PAYLOAD, PAYLOAD_WORDS);
}

/*
 * Two chains on two queue pairs, each { atomic on one word; READ of the other's word }, on one segment. At least one of
 * the READs must see the other chain's atomic. The words are on different lines, so the adapter cannot order them by a
 * check of the address. In every second trial READs of both processes precede the chains, to keep the adapter busy.
 */
static void swap_add(struct pair *pair, struct board *board, struct litmus_result *r)
{
    enum { LOADS = 7 };
    uint64_t *w = pair->words, *landing = w + LANDING;
    struct uat_op loads[LOADS];
    for (int k = 0; k < LOADS; k++)
        loads[k] = uat_op_read(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8);
    for (uint64_t i = 0; i < board->trials; i++) {
        struct uat_pending pending = {.done = true}, *wait = &pending;
        struct uat_op thief[] = {uat_op_cmp_swap(landing, w + FLAG, i, i + 1), uat_op_read(landing + 1, w + DATA, 8)};
        struct uat_op victim[] = {uat_op_fetch_add(landing, w + DATA, 1), uat_op_read(landing + 1, w + FLAG, 8)};
        pair_meet(pair, 0);
        if (pair->rank == 0)
            keep_distance(board, i);
        /* A failed post shows again in pair_do(), which ends the process. */
        if (i % 2 && uat_transport_post(pair->transport, 0, loads, LOADS, &pending))
            pending.done = true;
        pair_do(pair, 0, pair->rank == 1 ? thief : victim, 2);
        uat_transport_wait(pair->transport, &wait, 1);
        bool saw = load(landing + 1) == i + 1, other_saw = pair_meet(pair, saw);
        if (pair->rank == 1) {
            r->trials++;
            r->seen += !saw && !other_saw;
        }
    }
}

/* A READ of an aligned 8-byte word returns the old or the new value while a CPU stores to the word. */
static void store_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    if (pair->rank == 0) {
        for (uint64_t i = 1; !load(w + DONE); i++) {
            for (int k = 0; k < PAYLOAD_WORDS; k++) /* both halves are equal, and every byte changes with each value */
                __atomic_store_n(w + PAYLOAD + k, (i * 0x9e3779b9 & 0xffffffff) * 0x100000001, __ATOMIC_RELAXED);
            pair_look(pair);
        }
        return;
    }
    for (uint64_t i = 0; i < board->trials; i++) {
        struct uat_op op = uat_op_read(landing, w + PAYLOAD, i % 2 ? 8 : PAYLOAD_WORDS * 8);
        pair_do(pair, 0, &op, 1);
        bool torn = false;
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            torn |= landing[k] >> 32 != (landing[k] & 0xffffffff);
        r->trials++;
        r->seen += torn;
    }
    tell_done(pair);
}

static void adapter_adapter(struct pair *pair, struct board *board, struct litmus_result *r)
{
    litmus_add_add(pair, board, r, LITMUS_ADAPTER);
}

/* After a chain that contains an atomic is complete, a load by this CPU sees the chain's changes. Each process posts to
 * its own segment through a queue pair to itself. A worker posts to the segments of other workers on its host in the
 * same way. */
static void completion_load(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    for (uint64_t i = 1; i <= board->trials; i++) {
        bool stale = false;
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            landing[8 + k] = i;
        struct uat_op ops[] = {uat_op_write(landing + 8, w + PAYLOAD, PAYLOAD_WORDS * 8),
                               uat_op_fetch_add(landing, w + FLAG, 1)};
        pair_do(pair, pair->rank, ops, 2);
        stale |= load(w + FLAG) != i;
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            stale |= load(w + PAYLOAD + (k * 5) % PAYLOAD_WORDS) != i;
        r->trials++;
        r->seen += stale;
    }
}

const struct litmus_test litmus_forbidden[LITMUS_FORBIDDEN] = {
    {"cmp_swap-read", "O1, 6", "a READ misses the CMP_SWAP before it in its chain", cmp_swap_read},
    {"claim-pop", "O1, 6", "{ CMP_SWAP; READ } and a CPU's { store; fence; load } miss each other", claim_pop},
    {"swap-add", "O1, 6", "two chains { atomic; READ of the other's word } miss each other", swap_add},
    {"write-fetch_add", "O1, 5", "a CPU sees the FETCH_ADD, but not the whole WRITE before it", write_fetch_add},
    {"store-read", "O4, 8", "a READ returns half of a word that a CPU stores", store_read},
    {"adapter-adapter", "O6, 1", "a FETCH_ADD is lost, though both processes add through one adapter", adapter_adapter},
    {"completion-load", "O7, 10", "after a chain with an atomic on its own host, a CPU loads old data",
     completion_load},
};

/* The shortest time of several READs. */
static uint64_t measure_trip(struct pair *pair)
{
    uint64_t *landing = pair->words + LANDING, shortest = UINT64_MAX;
    for (int i = 0; i < TRIPS; i++) {
        struct uat_op op = uat_op_read(landing, pair->words, 8);
        uint64_t began = uat_cpu_counter();
        pair_do(pair, 1 - pair->rank, &op, 1);
        uint64_t ticks = uat_cpu_counter() - began;
        shortest = ticks < shortest ? ticks : shortest;
    }
    return shortest;
}

/* Give both processes the sum of their counts. A count above 32 bits is sent as the
 * largest 32-bit number. */
static uint64_t share(struct pair *pair, uint64_t count)
{
    return count + pair_meet(pair, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
}

static const struct litmus_test *test_at(int i)
{
    return i < LITMUS_FORBIDDEN ? &litmus_forbidden[i] : &litmus_allowed[i - LITMUS_FORBIDDEN];
}

static void run_all(struct pair *pair, void *arg)
{
    struct board *board = arg;
    for (int i = 0; i < 2; i++)
        snprintf(board->hosts[i], sizeof(board->hosts[i]), "%s", pair->hosts[i]);
    if (pair_meet(pair, (uint32_t)board->trials) != board->trials) {
        uat_error("the two processes were given different numbers of trials");
        board->rc = -EINVAL;
        return;
    }
    board->trip = measure_trip(pair);
    for (int i = 0; i < LITMUS_TESTS; i++) {
        struct litmus_result *r = &board->results[i];
        clear(pair);
        test_at(i)->run(pair, board, r);
        r->trials = share(pair, r->trials);
        r->seen = share(pair, r->seen);
    }
}

int litmus_run(uint64_t trials, struct litmus *out)
{
    struct board board = {.trials = trials, .results = out->results};
    for (int i = 0; i < LITMUS_TESTS; i++)
        out->results[i] = (struct litmus_result){.name = test_at(i)->name,
                                                 .rule = test_at(i)->rule,
                                                 .meaning = test_at(i)->meaning,
                                                 .allowed = i >= LITMUS_FORBIDDEN};
    int rc = pair_run(run_all, &board, &out->rank);
    memcpy(out->hosts, board.hosts, sizeof(out->hosts));
    return rc ? rc : board.rc;
}
