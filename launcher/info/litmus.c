/* SPDX-License-Identifier: MIT */
/*
 * Rank 1 is the thief: it posts chains. Rank 0 is the victim: its CPU accesses its own segment. In one test the
 * victim's queue pair accesses that segment as well. The thief counts violations.
 */
#include "launcher/info/litmus.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "launcher/info/pair.h"

/* Offsets in both segments, in words. They are at least a cache line apart. */
enum { FLAG = 0, DATA = 64, DONE = 128, PAYLOAD = 256, PAYLOAD_WORDS = 64, LANDING = 1024, ALL = 2 * LANDING };
_Static_assert(ALL <= (int)PAIR_WORDS, "fit into the segments");

enum { DISTANCES = 64, TRIPS = 16 /* round trips to measure; the shortest one counts */ };

/* Each process has its own board. */
struct board {
    uint64_t trials;
    uint64_t trip; /* time of a READ of the other process's memory, in ticks of the processor's counter */
    int rc;
    struct litmus_result *results; /* each process fills in some results; in the end both processes have all results */
    char hosts[2][64];
};

/* Acquire: pairs with the other process's chain in pair_do(). A process that sees the word also sees everything that
 * the chain wrote before it. */
static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Start a test: set the words of both processes to zero, and wait until both have done so. */
static void clear(struct pair *pair)
{
    pair_meet(pair, 0);
    memset(pair->words, 0, ALL * sizeof(uint64_t));
    pair_meet(pair, 0);
}

static void tell_done(struct pair *pair)
{
    uint64_t *w = pair->words;
    w[LANDING] = 1;
    struct uat_op op = uat_op_write(w + LANDING, w + DONE, 8);
    pair_do(pair, 0, &op, 1);
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
        r->violations += load(landing) != i || load(landing + 1) != i + 1;
    }
}

/*
 * Make the victim wait for 0 to 2 of the thief's round trips. The time changes from trial to trial.
 */
static void keep_distance(const struct board *board, uint64_t trial)
{
    uint64_t began = uat_cpu_counter(), ticks = 2 * board->trip * (trial % DISTANCES) / DISTANCES;
    while (uat_cpu_counter() - began < ticks)
        ;
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
            r->violations += !saw && !other_saw;
        }
    }
}

/* A WRITE is complete in memory before a later atomic of the same chain takes effect. The victim's CPU checks. */
static void write_fetch_add(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *payload = w + PAYLOAD, *landing = w + LANDING;
    for (uint64_t i = 1; i <= board->trials; i++) {
        if (pair->rank == 1) {
            for (int k = 0; k < PAYLOAD_WORDS; k++)
                landing[8 + k] = i;
            struct uat_op ops[] = {uat_op_write(landing + 8, payload, PAYLOAD_WORDS * 8),
                                   uat_op_fetch_add(landing, w + FLAG, 1)};
            pair_do(pair, 0, ops, 2);
        } else {
            bool stale = false;
            while (load(w + FLAG) < i) {
                pair_look(pair);
                sched_yield();
            }
            for (int k = 0; k < PAYLOAD_WORDS; k++)
                stale |= load(payload + (k * 5) % PAYLOAD_WORDS) != i;
            r->trials++;
            r->violations += stale;
        }
        pair_meet(pair, 0);
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
        r->violations += torn;
    }
    tell_done(pair);
}

/* The thief adds to the lower half of a word. The victim adds to the word's upper half, by its CPU or through its own
 * queue pair. A violation is an addition that is missing at the end. */
static void add_add(struct pair *pair, struct board *board, struct litmus_result *r, bool by_cpu)
{
    uint64_t *w = pair->words, *landing = w + LANDING, owner_adds = 0;
    if (pair->rank == 1) {
        struct uat_op ops[UAT_CHAIN_MAX];
        for (int k = 0; k < UAT_CHAIN_MAX; k++)
            ops[k] = uat_op_fetch_add(landing + k, w + FLAG, 1);
        for (uint64_t i = 0; i < board->trials; i++)
            pair_do(pair, 0, ops, UAT_CHAIN_MAX);
        tell_done(pair);
    } else {
        struct uat_op op = uat_op_fetch_add(landing, w + FLAG, 1ull << 32);
        for (; !load(w + DONE); owner_adds++) {
            pair_look(pair);
            if (by_cpu)
                __atomic_fetch_add(w + FLAG, 1ull << 32, __ATOMIC_SEQ_CST); /* the runtime never mixes atomics of a CPU
                                                                             * and an adapter */
            else
                pair_do(pair, 0, &op, 1);
        }
    }
    pair_meet(pair, 0);
    if (pair->rank == 0) {
        uint64_t word = load(w + FLAG), thief = board->trials * UAT_CHAIN_MAX;
        uint32_t lost_mine = (uint32_t)owner_adds - (uint32_t)(word >> 32);
        uint32_t lost_thief = (uint32_t)thief - (uint32_t)word;
        r->trials = thief + owner_adds;
        r->violations = lost_mine + lost_thief;
    }
}

static void adapter_adapter(struct pair *pair, struct board *board, struct litmus_result *r)
{
    add_add(pair, board, r, false);
}

static void cpu_adapter(struct pair *pair, struct board *board, struct litmus_result *r)
{
    add_add(pair, board, r, true);
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
        r->violations += stale;
    }
}

/* A READ sees an earlier WRITE of the same words in its chain, without an atomic between them. */
static void write_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *payload = w + PAYLOAD, *landing = w + LANDING;
    for (uint64_t i = 1; pair->rank == 1 && i <= board->trials; i++) {
        bool stale = false;
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            landing[PAYLOAD_WORDS + k] = i;
        struct uat_op ops[] = {uat_op_write(landing + PAYLOAD_WORDS, payload, PAYLOAD_WORDS * 8),
                               uat_op_read(landing, payload, PAYLOAD_WORDS * 8)};
        pair_do(pair, 0, ops, 2);
        for (int k = 0; k < PAYLOAD_WORDS; k++)
            stale |= load(landing + k) != i;
        r->trials++;
        r->violations += stale;
    }
}

/* Two READs in a chain take effect in order. They read words on different cache lines, first FLAG and then DATA. The
 * victim's CPU stores DATA before FLAG. So if the READs are in order, DATA is at least as new as FLAG. */
static void read_read(struct pair *pair, struct board *board, struct litmus_result *r)
{
    uint64_t *w = pair->words, *landing = w + LANDING;
    if (pair->rank == 0) {
        for (uint64_t i = 1; !load(w + DONE); i++) {
            __atomic_store_n(w + DATA, i, __ATOMIC_RELAXED);
            __atomic_store_n(w + FLAG, i, __ATOMIC_RELEASE); /* release: after the store to DATA; pairs with the two
                                                              * READs */
            pair_look(pair);
        }
        return;
    }
    for (uint64_t i = 0; i < board->trials; i++) {
        struct uat_op ops[] = {uat_op_read(landing, w + FLAG, 8), uat_op_read(landing + 1, w + DATA, 8)};
        pair_do(pair, 0, ops, 2);
        r->trials++;
        r->violations += load(landing + 1) < load(landing);
    }
    tell_done(pair);
}

static const struct {
    const char *name, *meaning;
    void (*run)(struct pair *pair, struct board *board, struct litmus_result *r);
    bool demonstration;
} tests[LITMUS_TESTS] = {
    {"cmp_swap-read", "a READ sees the CMP_SWAP before it in its chain", cmp_swap_read, false},
    {"claim-pop", "of { CMP_SWAP; READ } and a CPU's { store; fence; load } one sees the other", claim_pop, false},
    {"write-fetch_add", "a CPU that sees the FETCH_ADD sees the whole WRITE before it", write_fetch_add, false},
    {"store-read", "a word that a CPU stores is never READ torn", store_read, false},
    {"adapter-adapter", "no FETCH_ADD of two processes is lost, the owner's through its own queue pair",
     adapter_adapter, false},
    {"completion-load", "a CPU sees what a completed chain with an atomic has changed on its host", completion_load,
     false},
    {"cpu-adapter", "CPU atomics against FETCH_ADD on one word (uat never does it): updates lost", cpu_adapter, true},
    {"write-read", "a READ sees the WRITE before it in its chain (uat does not rely on it)", write_read, true},
    {"read-read", "two READs of a chain sample memory in order (uat does not rely on it)", read_read, true},
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
        tests[i].run(pair, board, r);
        r->trials = share(pair, r->trials);
        r->violations = share(pair, r->violations);
    }
}

int litmus_run(uint64_t trials, struct litmus *out)
{
    struct board board = {.trials = trials, .results = out->results};
    for (int i = 0; i < LITMUS_TESTS; i++)
        out->results[i] = (struct litmus_result){
            .name = tests[i].name, .meaning = tests[i].meaning, .demonstration = tests[i].demonstration};
    int rc = pair_run(run_all, &board, &out->rank);
    memcpy(out->hosts, board.hosts, sizeof(out->hosts));
    return rc ? rc : board.rc;
}
