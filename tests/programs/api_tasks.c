/* SPDX-License-Identifier: MIT */
/* Description: spawn and join in every shape that the interface allows. Tasks return how many errors they saw. */
#include "tests/programs/api.h"

#include <stdbool.h>
#include <string.h>

#include "asm/registers.h"

enum { CHILDREN = 1000, LOOP = 2000, BLOCK_WORDS = 1024 / sizeof(uint64_t) };
enum order { FORWARD, BACKWARD, SHUFFLED, ORDERS };

UAT_TASK(long, square, long, n)
{
    api_work();
    return n * n;
}

/* The join may be in another function than the spawn, as long as the task is the same. */
static __attribute__((noinline)) int join_in_helper(square_task *t, long n)
{
    return WRONG(square_join(t) == n * n);
}

/* A frame of tens of KiB with many unjoined children. */
UAT_TASK(int, join_orders, int, order)
{
    square_task children[CHILDREN];
    int errors = 0;

    for (long i = 0; i < CHILDREN; i++)
        square_spawn(&children[i], i);
    for (long i = 0; i < CHILDREN; i++) {
        /* 7 and CHILDREN have no common divisor, so the shuffled order contains each child once. */
        long j = order == FORWARD ? i : order == BACKWARD ? CHILDREN - 1 - i : i * 7 % CHILDREN;

        errors += join_in_helper(&children[j], j);
    }
    return errors;
}

int api_join_orders(void)
{
    int all = 0;

    for (int order = FORWARD; order < ORDERS; order++) {
        int errors = -1;

        all += WRONG(join_orders_run(&errors, order) == 0);
        all += WRONG(errors == 0);
    }
    return all;
}

/* Three unjoined children at each level, joined in an order that changes with the level. The result is the number of
 * nodes. */
UAT_TASK(long, nested, int, depth)
{
    nested_task children[3];
    long nodes = 1;

    if (depth == 0) {
        api_work();
        return nodes;
    }
    for (int i = 0; i < 3; i++)
        nested_spawn(&children[i], depth - 1);
    for (int i = 0; i < 3; i++)
        nodes += nested_join(&children[(i * 2 + depth) % 3]);
    return nodes;
}

int api_nested(void)
{
    long nodes = 0;

    return WRONG(nested_run(&nodes, 7) == 0) + WRONG(nodes == 3280);
}

/* One handle is used again and again, while a second child stays unjoined. */
UAT_TASK(long, reused_handle, int, rounds)
{
    square_task child, outstanding;
    long sum = 0;

    square_spawn(&outstanding, 1);
    for (long i = 0; i < rounds; i++) {
        square_spawn(&child, i);
        sum += square_join(&child);
    }
    return sum + square_join(&outstanding);
}

int api_reused_handle(void)
{
    const long n = LOOP - 1;
    long sum = 0;

    return WRONG(reused_handle_run(&sum, LOOP) == 0) + WRONG(sum == n * (n + 1) * (2 * n + 1) / 6 + 1);
}

struct block {
    uint64_t words[BLOCK_WORDS];
};

static bool block_is(const struct block *block, uint64_t first)
{
    for (uint64_t i = 0; i < BLOCK_WORDS; i++)
        if (block->words[i] != first + i * i)
            return false;
    return true;
}

static void block_fill(struct block *block, uint64_t first)
{
    for (uint64_t i = 0; i < BLOCK_WORDS; i++)
        block->words[i] = first + i * i;
}

/* A block of 1 KiB is passed to each child, and another one is returned. A wrong word in either block must be
 * noticed. */
UAT_TASK(struct block, big_block, int, depth, uint64_t, first, struct block, in)
{
    big_block_task left, right;
    struct block mine, from_left, from_right;

    if (!block_is(&in, first)) {
        block_fill(&mine, 0);
        return mine;
    }
    block_fill(&mine, first + 1);
    if (depth == 0) {
        api_work();
        return mine;
    }
    big_block_spawn(&left, depth - 1, first + 1, mine);
    big_block_spawn(&right, depth - 1, first + 1, mine);
    from_right = big_block_join(&right);
    from_left = big_block_join(&left);
    if (!block_is(&from_left, first + 2) || !block_is(&from_right, first + 2) || !block_is(&mine, first + 1))
        block_fill(&mine, 0);
    return mine;
}

int api_big_blocks(void)
{
    struct block in, out;

    block_fill(&in, 100);
    return WRONG(big_block_run(&out, 7, 100, in) == 0) + WRONG(block_is(&out, 101));
}

static const size_t sizes[] = {0, 1, 3, 7, 8, 9, 13, 64, 1000, 1023, 1024};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), GUARD = 0xa5 };

/* Complements its argument. The argument's first byte is the index of its size in sizes[]. */
static void complement(void *arg, void *result)
{
    const unsigned char *in = arg;
    unsigned char *out = result;

    api_work();
    for (size_t i = 0; i < sizes[in[0]]; i++)
        out[i] = (uintptr_t)arg % 8 == 0 && (uintptr_t)result % 8 == 0 ? (unsigned char)~in[i] : in[i];
}

static void nothing(void *arg, void *result)
{
    api_work();
}

UAT_TASK(int, odd_sizes, int, unused)
{
    unsigned char in[SIZES][1024], out[SIZES][1024 + 8];
    uat_task_t children[SIZES];
    int errors = 0;

    memset(out, GUARD, sizeof(out));
    uat_spawn(&children[0], nothing, NULL, 0, NULL, 0);
    for (size_t i = 1; i < SIZES; i++) {
        for (size_t j = 0; j < sizes[i]; j++)
            in[i][j] = (unsigned char)(i + 3 * j);
        uat_spawn(&children[i], complement, in[i], sizes[i], out[i], sizes[i]);
    }
    for (size_t i = SIZES; i-- > 0;) {
        uat_join(&children[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            errors += WRONG(out[i][j] == (unsigned char)~(i + 3 * j));
        for (size_t j = sizes[i]; j < sizeof(out[i]); j++)
            errors += WRONG(out[i][j] == GUARD);
    }
    return errors;
}

int api_odd_sizes(void)
{
    int all = 0;

    for (int round = 0; round < 50; round++) {
        int errors = -1;

        all += WRONG(odd_sizes_run(&errors, 0) == 0) + WRONG(errors == 0);
    }
    return all;
}

/* A chain of children. Each child spawns the next one, and works in parallel to it. */
UAT_TASK(long, deep, long, depth)
{
    deep_task child;
    long below;

    if (depth == 0)
        return 0;
    deep_spawn(&child, depth - 1);
    api_work();
    below = deep_join(&child);
    return below + depth;
}

int api_deep(void)
{
    long sum = 0;

    return WRONG(deep_run(&sum, 600) == 0) + WRONG(sum == 600 * 601 / 2);
}

UAT_TASK(double, mix, char, a, short, b, int, c, long, d, float, e, double, f, uint64_t, g, struct block, h)
{
    api_work();
    return a + b + c + (double)d + (double)e + f + (double)g + (double)h.words[2];
}

UAT_TASK_VOID(no_result, int, depth)
{
    no_result_task child;

    if (depth == 0)
        return;
    no_result_spawn(&child, depth - 1);
    no_result(depth - 1);
    no_result_join(&child);
}

UAT_TASK_DECLARE(bool, is_odd, unsigned, n)
UAT_TASK(bool, is_even, unsigned, n)
{
    is_odd_task t;

    if (n == 0)
        return true;
    is_odd_spawn(&t, n - 1);
    return is_odd_join(&t);
}
static bool is_odd(unsigned n)
{
    is_even_task t;

    if (n == 0)
        return false;
    is_even_spawn(&t, n - 1);
    return is_even_join(&t);
}

UAT_TASK(double, mix_twice, int, one)
{
    mix_task a, b;
    struct block block;

    block_fill(&block, 0);
    mix_spawn(&a, (char)one, 2, 3, 4, 5.5F, 6.25, 7, block);
    mix_spawn(&b, (char)one, 2, 3, 4, 5.5F, 6.25, 8, block);
    return mix_join(&b) * 1000 + mix_join(&a);
}

int api_typed(void)
{
    double mixed = 0;
    bool odd = false;
    int errors = 0;

    errors += WRONG(mix_twice_run(&mixed, 1) == 0);
    errors += WRONG(mixed == 33.75 * 1000 + 32.75);
    errors += WRONG(no_result_run(10) == 0);
    errors += WRONG(is_odd_run(&odd, 101) == 0);
    errors += WRONG(odd);
    return errors;
}

static void first_byte(void *arg, void *result)
{
    api_work();
    memset(result, *(unsigned char *)arg, 8);
}

/* Take every path through uat_spawn(): arguments of 8 bytes, of another size, and of a size that uat_spawn() checks. */
UAT_TASK(int, kept_registers, int, unused)
{
    static const size_t arg_sizes[] = {8, 3, 2000};
    unsigned char in[2000] = {7}, out[1024];
    int errors = 0;

    for (int way = 0; way < 3; way++) {
        uat_task_t t;

        errors += WRONG(uat_registers_spawn(&t, first_byte, in, arg_sizes[way], out, way == 2 ? 1024 : 8) == 0);
        uat_join(&t);
        errors += WRONG(out[7] == 7);
    }
    return errors;
}

int api_kept_registers(void)
{
    int errors = -1;

    return WRONG(kept_registers_run(&errors, 0) == 0) + WRONG(errors == 0);
}
