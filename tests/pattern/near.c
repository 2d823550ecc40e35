/* SPDX-License-Identifier: MIT */
/*
 * Description: the loop that UAT_FOR() makes of uat_for_near() runs each iteration once, for several element sizes and
 * both distributions. It combines reducers in serial order, and starts iterations where their elements are.
 * usage: near [placed]
 *   placed: all iterations must run where their elements are; for a mode without steals
 */
#include <stdio.h>
#include <stdlib.h>

#include <uat.h>
#include <uat/global.h>
#include <uat/pattern.h>
#include <uat/reducer.h>

#include "tests/sequence.h"

enum { N = 40000 };

static const struct sequence none = SEQUENCE_NONE;
UAT_REDUCER(struct sequence, order, SEQUENCE_NONE, sequence_join)
UAT_REDUCER(int64_t, at_home, 0, UAT_PLUS)

UAT_FOR(note, i, const char *, array, size_t, size)
{
    *order_view() = sequence_join(*order_view(), sequence_of((uint64_t)i));
    *at_home_view() += uat_global_home(array + (size_t)i * size) == uat_rank();
}

UAT_TASK(int64_t, check, const char *, array, size_t, size, int64_t, from)
{
    struct sequence want = none;
    for (int64_t i = from; i < N; i++)
        want = sequence_join(want, sequence_of((uint64_t)i));
    note_near(from, N, array, size, array, size);
    if (!sequence_equal(order_take(), want)) {
        fprintf(stderr, "near: size %zu, from %lld: iterations are missing, or not in order\n", size, (long long)from);
        exit(1);
    }
    return at_home_take();
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 8, 24, 100};
    int64_t home = 0, all = 0, got;
    (void)argv;
    if (uat_init())
        return 1;
    for (int k = 0; k < 8; k++) {
        size_t size = sizes[k / 2];
        char *array = uat_global_alloc(N * size, k % 2 ? UAT_CYCLIC : UAT_BLOCKED, 0);
        if (!array || check_run(&got, array, size, 17))
            return 1;
        home += got;
        all += N - 17;
        if (uat_global_free(array))
            return 1;
    }
    if (check_run(&got, NULL, 8, 0)) /* without global memory: an ordinary loop */
        return 1;
    if (argc > 1 && uat_rank() == 0 && home < all) {
        fprintf(stderr, "near: %lld of %lld iterations ran where their elements are\n", (long long)home,
                (long long)all);
        return 1;
    }
    return uat_finalize() != 0;
}
