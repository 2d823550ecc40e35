/* SPDX-License-Identifier: MIT */
/*
 * Description: generators live across spawns and joins of their task. The generators' stacks are in the task's frame,
 * and the frame may migrate between any two values. After a migration the generators continue where they were, and
 * pointers into their own stacks stay valid.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "uat/generator.h"

/*
 * Each value depends on all earlier state. The state is an array in the generator's own stack, and the generator
 * reaches it by pointers.
 */
UAT_GENERATOR_SIZED(2048, uint64_t, chain, uint64_t, seed, int, n)
{
    uint64_t ring[16], *at = ring, *end = ring + 16;
    for (int i = 0; i < 16; i++)
        ring[i] = seed + (uint64_t)i;
    for (int i = 0; i < n; i++) {
        uint64_t *next = at + 1 == end ? ring : at + 1;
        *at = *at * 6364136223846793005u + *next;
        uat_generator_yield(*at);
        at = next;
    }
}

static uint64_t chain_sum(uint64_t seed, int n)
{
    uint64_t ring[16], sum = 0;
    for (int i = 0; i < 16; i++)
        ring[i] = seed + (uint64_t)i;
    for (int i = 0; i < n; i++) {
        ring[i % 16] = ring[i % 16] * 6364136223846793005u + ring[(i + 1) % 16];
        sum += ring[i % 16];
    }
    return sum;
}

/* Doubles the values of another generator: stacks inside stacks. */
UAT_GENERATOR_SIZED(4096, uint64_t, doubled, uint64_t, seed, int, n)
{
    chain_generator inner;
    uint64_t value;
    chain_begin(&inner, seed, n);
    while (uat_generator_next(&inner, &value))
        uat_generator_yield(2 * value);
}

UAT_TASK(uint64_t, add, uint64_t, a, uint64_t, b)
{
    for (volatile int spin = 0; spin < 200; spin++) /* time for a thief */
        ;
    return a + b;
}

/* Two generators are in the frame while children are spawned. The children are joined late, and not in the order in
 * which they were spawned. */
UAT_TASK(uint64_t, consume, uint64_t, seed, int, n, int, depth)
{
    chain_generator one;
    doubled_generator two;
    uint64_t sum = 0, a = 0, b = 0;
    if (depth > 0) {
        consume_task left;
        chain_begin(&one, seed, n);
        chain_next(&one, &a); /* started before the spawn */
        consume_spawn(&left, seed * 2, n, depth - 1);
        sum = consume(seed * 2 + 1, n, depth - 1);
        sum += consume_join(&left) + a;
        while (chain_next(&one, &a))
            sum += a;
        return sum;
    }
    chain_begin(&one, seed, n);
    doubled_begin(&two, seed, n);
    for (int i = 0; i < n; i += 2) {
        add_task first, second;
        uat_generator_next(&one, &a);
        uat_generator_next(&two, &b);
        add_spawn(&first, a, b);
        uat_generator_next(&one, &a);
        add_spawn(&second, a, 0);
        uat_generator_next(&two, &b);
        sum += add_join(&second) + b;
        sum += add_join(&first);
    }
    return sum + (uint64_t)uat_generator_next(&one, &a) + (uint64_t)uat_generator_next(&two, &b);
}

/* Generators that use each other, from a pool in the task's frame. */
enum { NESTED = 5 };
struct pool;
UAT_GENERATOR_DECLARE(uint64_t, even, struct pool *, pool, int, depth)
UAT_GENERATOR_SIZED_DECLARE(2048, uint64_t, odd, struct pool *, pool, int, depth)

struct pool {
    even_generator even[NESTED + 1];
    odd_generator odd[NESTED + 1];
};

UAT_GENERATOR_BODY(even, struct pool *, pool, int, depth)
{
    uint64_t value;
    if (depth > 0) {
        odd_begin(&pool->odd[depth], pool, depth - 1);
        while (uat_generator_next(&pool->odd[depth], &value))
            uat_generator_yield(value + 1);
    }
    uat_generator_yield((uint64_t)depth);
}

UAT_GENERATOR_BODY(odd, struct pool *, pool, int, depth)
{
    uint64_t value;
    if (depth > 0) {
        even_begin(&pool->even[depth], pool, depth - 1);
        while (uat_generator_next(&pool->even[depth], &value))
            uat_generator_yield(value + 1);
    }
    uat_generator_yield((uint64_t)depth);
}

UAT_TASK(uint64_t, both, int, depth)
{
    struct pool pool;
    even_generator first;
    uint64_t value, sum = 0;
    even_begin(&first, &pool, depth);
    while (uat_generator_next(&first, &value)) {
        add_task child;
        add_spawn(&child, sum, value);
        sum = add_join(&child);
    }
    return sum;
}

static uint64_t expected(uint64_t seed, int n, int depth)
{
    if (depth == 0)
        return 3 * chain_sum(seed, n);
    return chain_sum(seed, n) + expected(seed * 2, n, depth - 1) + expected(seed * 2 + 1, n, depth - 1);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3, failed = 0;
    uat_stats_t stats = {0};
    if (uat_init())
        return 1;
    for (int round = 1; round <= rounds && !failed; round++) {
        uint64_t sum = 0, right = expected((uint64_t)round, 60, 5);
        failed = consume_run(&sum, (uint64_t)round, 60, 5) != 0 || sum != right;
        uint64_t nested = 0;
        failed |= both_run(&nested, NESTED) != 0 || nested != NESTED * (NESTED + 1);
        if (failed)
            fprintf(stderr, "round %d: sum %" PRIu64 " instead of %" PRIu64 "\n", round, sum, right);
    }
    failed |= uat_stats_total(&stats) != 0;
    if (uat_rank() == 0 && !failed)
        printf("%" PRIu64 " steals\n", stats.steals);
    return uat_finalize() || failed;
}
