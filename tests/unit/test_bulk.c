/* SPDX-License-Identifier: MIT */
/*
 * Description: bulk data over shared memory and over verbs. The test covers any address and any number of bytes,
 * several regions, more operations in flight than queues hold, operations larger than one request, atomics by all
 * workers, and the order that transport/bulk.h promises.
 */
#include <string.h>

#include "tests/test.h"
#include "tests/unit/bulk_worker.h"

/* In each region of each host, each worker writes and reads pieces of odd sizes in its own part. The neighbours' bytes
 * must not change. */
static void work_bytes(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    const size_t share = BULK_REGION / PEERS_MAX, base = share * (size_t)me->rank + 4096;
    for (int host = 0; host < bulk_my.hosts; host++)
        for (size_t i = 0; i < 60; i++) {
            size_t offset = base + 977 * i, bytes = 1 + i * 13 % 501;
            int region = (int)i % BULK_REGIONS;
            memset(bulk_my.arena + 4096 * i, 1 + me->rank + (int)i, bytes);
            bulk_post(host, bulk_operation(UAT_OP_WRITE, host, region, offset, bulk_my.arena + 4096 * i, bytes));
        }
    for (int host = 0; host < bulk_my.hosts; host++)
        bulk_add(host, 0); /* B1: once this has completed, the bytes are in place */
    for (int host = 0; host < bulk_my.hosts; host++) {
        for (int region = 0; region < BULK_REGIONS; region++)
            bulk_post(host, bulk_operation(UAT_OP_READ, host, region, base, bulk_my.arena + (1 << 20) * (region + 1),
                                           60 * 977));
        bulk_await(host);
        for (size_t i = 0; i < 60; i++) {
            const char *seen = bulk_my.arena + (1 << 20) * (i % BULK_REGIONS + 1) + 977 * i;
            for (size_t k = 0; k < 977; k++)
                PEER_CHECK(seen[k] == (k < 1 + i * 13 % 501 ? (char)(1 + me->rank + (int)i) : 0));
        }
    }
    bulk_end(me);
}

enum { MANY = 300 };

/* Write and READ 2 MiB and 3 bytes, each in one operation. Then post hundreds of small operations before each wait. */
static void work_many(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    const size_t large = (2 << 20) + 3;
    int host = (bulk_my.host + 1) % bulk_my.hosts;
    if (bulk_is_leader()) { /* one writer per host */
        for (size_t i = 0; i < large; i++)
            bulk_my.arena[i] = (char)(i * 7 + i / 1000 + (size_t)me->rank);
        bulk_post(host, bulk_operation(UAT_OP_WRITE, host, 1, 5, bulk_my.arena, large));
        bulk_add(host, 0);
        memset(bulk_my.arena, 0, large);
        bulk_post(host, bulk_operation(UAT_OP_READ, host, 1, 5, bulk_my.arena, large));
        bulk_await(host);
        for (size_t i = 0; i < large; i++)
            PEER_CHECK(bulk_my.arena[i] == (char)(i * 7 + i / 1000 + (size_t)me->rank));
        for (uint64_t i = 0; i < MANY; i++) {
            uint64_t *word = (uint64_t *)bulk_my.arena + 1 + i;
            *word = i * i;
            bulk_post(host, bulk_operation(UAT_OP_WRITE, host, 2, 128 + 8 * i, word, 8));
        }
        bulk_add(host, 0);
        for (uint64_t i = 0; i < MANY; i++)
            bulk_post(host,
                      bulk_operation(UAT_OP_READ, host, 2, 128 + 8 * (MANY - 1 - i), bulk_my.arena + 65536 + 8 * i, 8));
        bulk_await(host);
        for (uint64_t i = 0; i < MANY; i++)
            PEER_CHECK(((uint64_t *)bulk_my.arena)[65536 / 8 + i] == (MANY - 1 - i) * (MANY - 1 - i));
        PEER_CHECK(bulk_my.bulk->link[host].completed == bulk_my.bulk->link[host].posted);
    }
    bulk_end(me);
}

enum { ADDS = 200 };

/* All workers, including the home's, perform additions and swaps. None of these operations may be lost. */
static void work_atomics(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    for (int i = 0; i < ADDS / PEERS_SHARE + 5; i++)
        for (int host = 0; host < bulk_my.hosts; host++)
            bulk_add(host, 3);
    uint64_t *old = (uint64_t *)bulk_my.arena + 4, won = 0;
    for (int tries = 0; won < 5; tries++) {
        struct uat_bulk_op op = bulk_operation(UAT_OP_CMP_SWAP, 0, 0, BULK_WORD + 8, old, 8);
        op.compare = *old;
        op.operand = *old + 1;
        uint64_t expected = *old;
        bulk_post(0, op);
        bulk_await(0);
        won += *old == expected;
    }
    peer_barrier(me);
    for (int host = 0; host < bulk_my.hosts; host++)
        PEER_CHECK(bulk_add(host, 0) == 3u * (ADDS / PEERS_SHARE + 5) * (unsigned)me->size);
    struct uat_bulk_op op = bulk_operation(UAT_OP_READ, 0, 0, BULK_WORD + 8, old, 8);
    bulk_post(0, op);
    bulk_await(0);
    PEER_CHECK(*old == 5u * (unsigned)me->size);
    bulk_end(me);
}

enum { ROUNDS = 200, LINE = 1000 };

/* Worker 0 writes a line of bytes and then increments a counter. Once worker 1 sees the count, it must see the line
 * (B1). Worker 0 READs the line after its atomic, without waiting between the two, and must see its own bytes (B1,
 * B2). */
static void work_order(struct peer *me, void *arg)
{
    bulk_begin(me, arg);
    int host = bulk_my.hosts - 1, rounds = ROUNDS / PEERS_SHARE + 10;
    for (int round = 1; round <= rounds && me->rank < 2; round++) {
        char *out = bulk_my.arena + 4096, *in = bulk_my.arena + 8192;
        if (me->rank == 0) {
            memset(out, round, LINE);
            bulk_post(host, bulk_operation(UAT_OP_WRITE, host, 2, 3, out, LINE));
            struct uat_bulk_op count = bulk_operation(UAT_OP_FETCH_ADD, host, 0, BULK_WORD, bulk_my.arena, 8);
            count.operand = 1;
            bulk_post(host, count);
            bulk_post(host, bulk_operation(UAT_OP_READ, host, 2, 3, in, LINE));
            bulk_await(host);
        } else {
            do {
                bulk_post(host, bulk_operation(UAT_OP_READ, host, 0, BULK_WORD, bulk_my.arena, 8));
                bulk_await(host);
            } while (*(volatile uint64_t *)bulk_my.arena < (uint64_t)round);
            bulk_post(host, bulk_operation(UAT_OP_READ, host, 2, 3, in, LINE));
            bulk_await(host);
        }
        for (int i = 0; i < LINE; i++)
            PEER_CHECK(in[i] == (char)round);
        if (me->rank == 0) { /* write the next line once the other worker has read this one */
            while (__atomic_load_n(&bulk_my.shared->turn, __ATOMIC_ACQUIRE) < (uint64_t)round)
                usleep(10);
        } else {
            __atomic_store_n(&bulk_my.shared->turn, (uint64_t)round, __ATOMIC_RELEASE);
        }
    }
    bulk_end(me);
}

/* Run with one host per worker, then with two workers per host. On a quick transport, also run on a single host, and
 * with delayed operations. */
static void run_all(peer_fn *fn)
{
    bulk_run(&PEERS_TRANSPORT, fn, 3, (struct bulk_test){.hosts = 3});
    bulk_run(&PEERS_TRANSPORT, fn, 4, (struct bulk_test){.hosts = 2});
    if (PEERS_SHARE > 1)
        return;
    bulk_run(&PEERS_TRANSPORT, fn, 2, (struct bulk_test){.hosts = 1});
    bulk_run(&PEERS_TRANSPORT, fn, 4, (struct bulk_test){.hosts = 4, .late = true});
}

TEST(bytes)
{
    run_all(work_bytes);
}

TEST(many)
{
    run_all(work_many);
}

TEST(atomics)
{
    run_all(work_atomics);
}

TEST(order)
{
    run_all(work_order);
}

int main(void)
{
    if (!peers_ready(&PEERS_TRANSPORT))
        return 77;
    return tests_run();
}
