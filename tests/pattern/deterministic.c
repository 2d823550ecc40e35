/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_reduce_deterministic() gives the bits that its tree gives in one process: sums of doubles that
 * round, and a chain of affine maps, which do not commute. Lengths of 0 and 1, of one block and one more, ranges at
 * both ends of int64_t, all of int64_t in three blocks, and a call while a range is checked out.
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/pattern.h"

enum { LONG = 100003, ROUNDS = 2 };

/* x -> scale * x + shift, and a sum that rounds. */
struct value {
    uint64_t scale, shift;
    double sum;
};

static struct value value_of(int64_t i)
{
    uint64_t u = (uint64_t)i;
    return (struct value){2 * u + 3, u * u + 1, 1.0 / (1.0 + (double)(u % 1000003))};
}

static struct value after(struct value a, struct value b)
{
    return (struct value){a.scale * b.scale, a.shift * b.scale + b.shift, a.sum + b.sum};
}

static const struct value nothing = {1, 0, 0};

UAT_REDUCE(struct value, all, nothing, after, i)
{
    return value_of(i);
}

/* The tree as the header describes it: blocks first, then a binary tree over the blocks. */
static struct value expected(int64_t begin, int64_t end, int64_t block)
{
    uint64_t n = begin < end ? (uint64_t)end - (uint64_t)begin : 0, length = (uint64_t)block;
    if (n <= length) {
        struct value v = nothing;
        for (int64_t i = begin; i < end; i++)
            v = after(v, value_of(i));
        return v;
    }
    uint64_t blocks = n / length + (n % length != 0);
    int64_t middle = (int64_t)((uint64_t)begin + blocks / 2 * length);
    return after(expected(begin, middle, block), expected(middle, end, block));
}

static const struct {
    int64_t begin, end, block;
} cases[] = {{0, 0, 10},
             {5, 6, 10},
             {5, 15, 10},
             {5, 16, 10},
             {-50, 51, 7},
             {0, LONG, 997},
             {-3, LONG, 1000},
             {0, 60, 1},
             {0, 60, 59},
             {10, -10, 5},
             {INT64_MAX - 1000, INT64_MAX, 33},
             {INT64_MIN, INT64_MIN + 1000, 33}};

static void count(int64_t begin, int64_t end, void *sum, const void *arg)
{
    (void)arg;
    *(uint64_t *)sum += (uint64_t)end - (uint64_t)begin;
}

static void add(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(uint64_t *)left += *(const uint64_t *)right;
}

static long *array; /* one word */

/* Returns the number of wrong values. */
UAT_TASK(int, root, int, none)
{
    int wrong = none;
    static const uint64_t zero;
    uint64_t number;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
            struct value got = all_deterministic(cases[k].begin, cases[k].end, cases[k].block);
            struct value right = expected(cases[k].begin, cases[k].end, cases[k].block);
            if (memcmp(&got, &right, sizeof(got)) != 0) {
                wrong++;
                printf("case %zu: %.17g, %.17g expected\n", k, got.sum, right.sum);
            }
        }
    uat_reduce_deterministic(INT64_MIN, INT64_MAX, INT64_MAX, &(uat_reduction_t){count, add, &zero, sizeof(zero)}, NULL,
                             0, &number);
    struct value got = nothing, right = expected(0, LONG, 1000);
    long *own = uat_global_checkout(array, sizeof(*own), UAT_READ_WRITE); /* so no child may run */
    got = all_deterministic(0, LONG, 1000);
    *own += memcmp(&got, &right, sizeof(got)) != 0;
    wrong += *own != 0;
    uat_global_checkin(array, sizeof(*own), UAT_READ_WRITE);
    if (number != UINT64_MAX)
        printf("%d: %llu iterations\n", ++wrong, (unsigned long long)number);
    return wrong;
}

int main(void)
{
    int wrong;
    if (uat_init() < 0 || !(array = uat_global_alloc(sizeof(*array), UAT_BLOCKED, 0)) || root_run(&wrong, 0))
        return 1;
    return uat_finalize() < 0 || wrong;
}
