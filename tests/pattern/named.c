/* SPDX-License-Identifier: MIT */
/*
 * Description: UAT_FOR() and UAT_REDUCE() in every form. Arguments are absent or present, with odd sizes and large
 * alignments. Bodies return early, or spawn and may migrate. One combination does not commute. Ranges of many sizes run
 * with and without a grain.
 */
#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>

#include "tests/programs/rounds.h"

enum { N = 3000, BIG = 40 };

static int in_order; /* a count of this process, used only by the loop without arguments, on one worker */

UAT_FOR(count_here, i)
{
    in_order += i >= 0;
}

UAT_TASK(uint64_t, twice, uint64_t, x)
{
    return 2 * x;
}

/* Every third iteration ends early. The other iterations spawn, so they may continue on another worker. */
UAT_FOR(mark, i, uat_atomic_t *, words, uint64_t, by)
{
    twice_task t;
    if (i % 3 == 0)
        return;
    twice_spawn(&t, by);
    uint64_t other = twice_join(&t);
    uat_atomic_add(&words[i], by + other);
}

struct wide {
    double x[8];
} __attribute__((aligned(64)));

struct odd {
    char text[13];
};

UAT_REDUCE(uint64_t, sum, 0, UAT_PLUS, i, struct wide, w, struct odd, o, int64_t, k)
{
    int sound = (uintptr_t)&w % 64 == 0 && w.x[7] == 7 && o.text[12] == 'm';
    return sound ? (uint64_t)(i * k) : UINT64_C(1) << 60;
}

UAT_REDUCE(int64_t, most, INT64_MIN, UAT_MAX, i)
{
    return i * 7919 % 3001;
}

UAT_REDUCE(int64_t, least, INT64_MAX, UAT_MIN, i)
{
    return i * 7919 % 3001;
}

/* x -> a x + b, modulo 2^64: composition does not commute. */
struct affine {
    uint64_t a, b;
};

static struct affine compose(struct affine l, struct affine r)
{
    struct affine both = {r.a * l.a, r.a * l.b + r.b};
    return both;
}

static const struct affine one = {1, 0};

UAT_REDUCE(struct affine, composed, one, compose, i, uint64_t, seed)
{
    twice_task t;
    twice_spawn(&t, seed + (uint64_t)i);
    uint64_t x = twice_join(&t) + 1;
    struct affine step = {x, x * x};
    return step;
}

static int ranges(int64_t begin, int64_t end)
{
    struct affine expected = one, got = composed(begin, end, 3);
    int64_t high = INT64_MIN, low = INT64_MAX;
    for (int64_t i = begin; i < end; i++) {
        uint64_t x = 2 * (3 + (uint64_t)i) + 1;
        struct affine step = {x, x * x};
        expected = compose(expected, step);
        high = UAT_MAX(high, i * 7919 % 3001);
        low = UAT_MIN(low, i * 7919 % 3001);
    }
    return WRONG(got.a == expected.a && got.b == expected.b) + WRONG(most(begin, end) == high) +
           WRONG(least_grain(begin, end, 16) == low);
}

UAT_TASK(int, all, uat_atomic_t *, words)
{
    struct wide w = {{0}};
    struct odd o = {{0}};
    int errors = 0;
    w.x[7] = 7;
    o.text[12] = 'm';
    errors += WRONG(sum(0, N, w, o, 2) == (uint64_t)N * (N - 1));
    errors += WRONG(sum_grain(10, 20, 3, w, o, 1) == 145);
    errors += WRONG(sum_near(0, N, words, sizeof(*words), w, o, 2) == (uint64_t)N * (N - 1));
    for (int64_t n = 0; n < BIG; n++)
        errors += ranges(n / 3, n);
    errors += ranges(0, N);
    mark(0, N, words, 5);
    mark_grain(5, 5, 1, words, 5);
    for (int64_t i = 0; i < N; i++)
        errors += WRONG(uat_atomic_load(&words[i]) == (i % 3 == 0 ? 0 : 15));
    if (uat_size() == 1) {
        count_here(0, N);
        errors += WRONG(in_order == N);
    }
    return errors;
}

int main(void)
{
    uat_atomic_t *words;
    int errors = 0;
    if (uat_init() || !(words = uat_global_alloc(N * sizeof(*words), UAT_BLOCKED, 0)) || all_run(&errors, words))
        return 1;
    return uat_finalize() || errors != 0;
}
