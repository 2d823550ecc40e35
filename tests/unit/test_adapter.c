/* SPDX-License-Identifier: MIT */
/* Description: the units of a simulated adapter. An atomic holds all words that agree with its word in the low 12 bits
 * of the address, on one host only. Atomics on other words follow at the rate of the adapter's unit of atomics. A queue
 * pair that the cache has lost is fetched again, and its requests keep their order. */
#include <sys/mman.h>

#include "tests/test.h"
#include "transport_sim/adapter.h"

enum { WORKERS = 64, NODE = 2, WORD = 470, EACH = 20, PAIRS = 32, WAYS = 16, MISS = 500, TIME = 1000 };

static int setup(void **state)
{
    const struct sim_settings settings = {
        .size = WORKERS,
        .network = {.node = NODE, .word = WORD, .each = EACH, .pairs = PAIRS, .miss = MISS, .gap = 15, .write_gap = 9}};
    uat_sim.world = uat_sim_world_open(&settings);
    return uat_sim.world ? 0 : -1;
}

TEST_WITH(word, setup, NULL)
{
    assert_int_equal(uat_sim_adapter_atomic(0, 0x10008, TIME), TIME);
    assert_int_equal(uat_sim_adapter_atomic(0, 0x10008, TIME), TIME + WORD);
    assert_int_equal(uat_sim_adapter_atomic(1, 0x25008, TIME), TIME + 2 * WORD); /* the other worker of this host */
    assert_int_equal(uat_sim_adapter_atomic(2, 0x10008, TIME), TIME);            /* another host */
    assert_int_equal(uat_sim_adapter_atomic(0, 0x10008, TIME + 10 * WORD), TIME + 10 * WORD);
}

TEST_WITH(other_words_do_not_wait_for_the_lock, setup, NULL)
{
    for (int i = 0; i < 5; i++)
        uat_sim_adapter_atomic(0, 0x10008, TIME);
    assert_int_equal(uat_sim_adapter_atomic(0, 0x10010, TIME), TIME + 5 * EACH);
    assert_int_equal(uat_sim_adapter_atomic(0, 0x10ff8, TIME), TIME + 6 * EACH);
}

TEST_WITH(pair, setup, NULL)
{
    assert_int_equal(uat_sim_adapter_pair(0, 0, 2, false, TIME), TIME + MISS);
    assert_int_equal(uat_sim_adapter_pair(0, 0, 3, false, TIME + 1), TIME + MISS); /* the same pair, not yet fetched */
    assert_int_equal(uat_sim_adapter_pair(0, 0, 3, false, TIME + MISS), TIME + MISS);
    assert_int_equal(uat_sim_adapter_pair(2, 0, 2, false, TIME),
                     TIME + MISS); /* the target's adapter has a cache, too */
    assert_int_equal(uat_sim_adapter_pair(0, 2, 0, false, TIME), TIME + MISS); /* the way back uses the same pair */
    assert_int_equal(uat_sim_adapter_pair(0, 0, 2, true, TIME), TIME + MISS);  /* global memory has its own */
    assert_int_equal(uat_sim.world->misses, 3);
    assert_int_equal(uat_sim_adapter_pair(0, 0, 1, false, TIME), TIME); /* the loopback */
}

/* With 16 pairs in use each set of the cache has room for all of them. With 62 pairs in use, some must be replaced. */
TEST_WITH(cache, setup, NULL)
{
    for (int round = 0; round < 3; round++)
        for (int host = 1; host <= WAYS; host++)
            uat_sim_adapter_pair(0, 0, host * NODE, false, (uint64_t)round * 10 * MISS);
    assert_int_equal(uat_sim.world->misses, WAYS);
    for (int round = 3; round < 5; round++)
        for (int worker = 0; worker < NODE; worker++)
            for (int host = 1; host < WORKERS / NODE; host++)
                uat_sim_adapter_pair(0, worker, host * NODE, false, (uint64_t)round * 10 * MISS);
    assert_true(uat_sim.world->misses > 2 * (WORKERS / NODE - 1) * NODE - WAYS - PAIRS);
}

TEST_WITH(gap, setup, NULL)
{
    assert_int_equal(sim_adapter_gap(UAT_OP_WRITE), 9);
    assert_int_equal(sim_adapter_gap(UAT_OP_READ), 15);
    assert_int_equal(sim_adapter_gap(UAT_OP_FETCH_ADD), 15);
}
