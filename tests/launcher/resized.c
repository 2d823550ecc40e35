/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks count until the job has changed its size `changes` times, in an array that all workers write. Then
 * the program checks each count.
 * argv: changes, elements of the array.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uat.h>
#include <uat/checkpoint.h>
#include <uat/global.h>
#include <uat/pattern.h>

UAT_TASK(int, fib, int, n)
{
    if (n < 2)
        return n;
    fib_task left;
    fib_spawn(&left, n - 1);
    int right = fib(n - 2);
    return fib_join(&left) + right;
}

typedef int64_t *array_t;

UAT_FOR(add_one, i, array_t, array)
{
    int64_t *count = uat_global_checkout(array + i, sizeof(*count), UAT_READ_WRITE);
    ++*count;
    uat_global_checkin(array + i, sizeof(*count), UAT_READ_WRITE);
}

struct work {
    array_t array;
    int64_t elements;
    int changes;
};

UAT_TASK(int64_t, count, struct work, work)
{
    int64_t rounds = 0, wrong = 0;
    do {
        wrong += fib(18) != 2584;
        add_one(0, work.elements, work.array);
        rounds++;
    } while (uat_restarted() < work.changes);
    const int64_t *counts = uat_global_checkout(work.array, (size_t)work.elements * sizeof(*counts), UAT_READ);
    for (int64_t i = 0; i < work.elements; i++)
        wrong += counts[i] != rounds;
    uat_global_checkin(work.array, (size_t)work.elements * sizeof(*counts), UAT_READ);
    return wrong;
}

int main(int argc, char **argv)
{
    struct work work = {.elements = argc > 2 ? atol(argv[2]) : 1, .changes = argc > 1 ? atoi(argv[1]) : 0};
    int64_t wrong;
    if (uat_init() < 0)
        return 1;
    work.array = uat_global_alloc((size_t)work.elements * sizeof(*work.array), UAT_BLOCKED, 0);
    if (!work.array || count_run(&wrong, work) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%d workers, %d changes, %ld wrong\n", uat_size(), uat_restarted(), (long)wrong);
    return uat_finalize() < 0 || wrong != 0;
}
