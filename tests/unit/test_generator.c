/* SPDX-License-Identifier: MIT */
/*
 * Description: generators. Values of every size arrive whole and in order. Values that are live on either side survive
 * a switch, whichever register holds them. Generators may contain generators, may end early and may start again. Their
 * stacks are aligned.
 */
#include "include/uat/generator.h"
#include "tests/test.h"

enum { VALUES = 1000 };

UAT_GENERATOR(long, count, long, from, long, to)
{
    for (long i = from; i < to; i++)
        uat_generator_yield(i);
}

TEST(order)
{
    count_generator g;
    long value = -1, expected = 5;
    count_begin(&g, 5, 5 + VALUES);
    while (uat_generator_next(&g, &value))
        assert_int_equal(value, expected++);
    assert_int_equal(expected, 5 + VALUES);
    for (int i = 0; i < 3; i++)
        assert_false(uat_generator_next(&g, &value)); /* an ended generator stays ended */
    count_begin(&g, 3, 3);
    assert_false(count_next(&g, &value));
}

struct odd {
    unsigned char bytes[13];
};
struct large {
    uint64_t words[40];
};

UAT_GENERATOR(char, chars, int, n)
{
    for (int i = 0; i < n; i++)
        uat_generator_yield((char)i);
}
UAT_GENERATOR(double, halves, int, n)
{
    for (int i = 0; i < n; i++)
        uat_generator_yield(i * 0.5);
}
UAT_GENERATOR(struct odd, odds, int, n)
{
    for (int i = 0; i < n; i++) {
        struct odd o;
        memset(o.bytes, i, sizeof(o.bytes));
        uat_generator_yield(o);
    }
}
/* A sanitizer's red zones around `l` do not fit into the default stack. */
UAT_GENERATOR_SIZED(16384, struct large, larges, int, n)
{
    for (int i = 0; i < n; i++) {
        struct large l;
        for (uint64_t w = 0; w < 40; w++)
            l.words[w] = (uint64_t)i * 40 + w;
        uat_generator_yield(l);
    }
}

TEST(sizes)
{
    chars_generator c;
    halves_generator h;
    odds_generator o;
    larges_generator l;
    char byte;
    double half;
    struct odd odd;
    struct large large;
    chars_begin(&c, 100);
    halves_begin(&h, 100);
    odds_begin(&o, 100);
    larges_begin(&l, 100);
    for (int i = 0; i < 100; i++) { /* all four generators are active at once */
        assert_true(uat_generator_next(&c, &byte) && uat_generator_next(&h, &half) && uat_generator_next(&o, &odd) &&
                    uat_generator_next(&l, &large));
        assert_int_equal(byte, i);
        assert_true(half == i * 0.5);
        for (size_t b = 0; b < sizeof(odd.bytes); b++)
            assert_int_equal(odd.bytes[b], i);
        for (uint64_t w = 0; w < 40; w++)
            assert_int_equal(large.words[w], (uint64_t)i * 40 + w);
    }
    assert_false(uat_generator_next(&c, &byte) || uat_generator_next(&h, &half) || uat_generator_next(&o, &odd) ||
                 uat_generator_next(&l, &large));
}

/* More integer values than there are registers that a call preserves, and some floating-point values. Each step changes
 * all of them. */
UAT_GENERATOR(uint64_t, busy, uint64_t, seed, int, n)
{
    uint64_t a = seed, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, h = a + 6, i = a + 7, j = a + 8,
             k = a + 9;
    double p = 1, q = 2, r = 3, s = 4;
    for (int step = 0; step < n; step++) {
        a += b, b ^= c, c += d, d ^= e, e += f, f ^= h, h += i, i ^= j, j += k, k ^= a;
        p = q + 1, q = r + 1, r = s + 1, s = p + 1;
        uat_generator_yield(a ^ b ^ c ^ d ^ e ^ f ^ h ^ i ^ j ^ k ^ (uint64_t)(p + q + r + s));
    }
}

/* Returns the n-th value that busy gives, computed without a generator. */
static uint64_t busy_at(uint64_t seed, int n)
{
    uint64_t w[10];
    double p = 1, q = 2, r = 3, s = 4;
    for (uint64_t x = 0; x < 10; x++)
        w[x] = seed + x;
    for (int step = 0; step < n; step++) {
        for (int x = 0; x < 10; x++)
            w[x] = x % 2 ? w[x] ^ w[(x + 1) % 10] : w[x] + w[(x + 1) % 10];
        p = q + 1, q = r + 1, r = s + 1, s = p + 1;
    }
    uint64_t all = (uint64_t)(p + q + r + s);
    for (int x = 0; x < 10; x++)
        all ^= w[x];
    return all;
}

TEST(live_values)
{
    busy_generator one, two;
    busy_begin(&one, 1, 50);
    busy_begin(&two, 2, 50);
    uint64_t x = 0, y = 0;
    for (int n = 1; n <= 50; n++) {
        assert_true(uat_generator_next(&one, &x) && uat_generator_next(&two, &y));
        assert_int_equal(x, busy_at(1, n));
        assert_int_equal(y, busy_at(2, n));
    }
}

/* The leaves of a tree, with one generator per level: each stack is inside its parent's stack. */
#define LEAVES(depth, inner)                                                                                           \
    UAT_GENERATOR_SIZED((depth) * sizeof(leaves0_generator) + 2048 * (depth), int, leaves##depth, int, first)          \
    {                                                                                                                  \
        for (int half = 0; half < 2; half++) {                                                                         \
            inner##_generator g;                                                                                       \
            int leaf;                                                                                                  \
            inner##_begin(&g, first * 2 + half);                                                                       \
            while (uat_generator_next(&g, &leaf))                                                                      \
                uat_generator_yield(leaf);                                                                             \
        }                                                                                                              \
    }
UAT_GENERATOR(int, leaves0, int, leaf)
{
    uat_generator_yield(leaf);
}
LEAVES(2, leaves0)
LEAVES(4, leaves2)
LEAVES(8, leaves4)

TEST(nested)
{
    leaves8_generator g;
    int leaf, expected = 0;
    leaves8_begin(&g, 0);
    while (uat_generator_next(&g, &leaf))
        assert_int_equal(leaf, expected++);
    assert_int_equal(expected, 8);
}

static void give_two(count_generator *uat_self, long value)
{
    uat_generator_yield(value);
    uat_generator_yield(-value);
}

UAT_GENERATOR(long, helped, long, n)
{
    for (long i = 1; i <= n; i++)
        give_two((count_generator *)(void *)uat_self, i); /* both types have the same value type and stack size */
}

TEST(early_end)
{
    helped_generator h;
    count_generator g;
    long value = 0;
    for (int length = 0; length < 20; length++) {
        count_begin(&g, 0, VALUES);
        for (int i = 0; i < length; i++) {
            assert_true(uat_generator_next(&g, &value));
            assert_int_equal(value, i);
        }
        uat_generator_end(&g);
    }
    helped_begin(&h, 3);
    for (long i = 1; i <= 3; i++) {
        assert_true(helped_next(&h, &value) && value == i);
        assert_true(helped_next(&h, &value) && value == -i);
    }
    assert_false(helped_next(&h, &value));
    helped_end(&h);
}

UAT_GENERATOR(uintptr_t, aligned, int, n)
{
    for (int i = 0; i < n; i++) {
        _Alignas(16) volatile char local[16];
        local[0] = (char)i;
        uat_generator_yield((uintptr_t)__builtin_frame_address(0) | (uintptr_t)local);
    }
}

TEST(alignment)
{
    aligned_generator g;
    uintptr_t address;
    aligned_begin(&g, 5);
    while (uat_generator_next(&g, &address))
        assert_int_equal(address % 16, 0);
}
