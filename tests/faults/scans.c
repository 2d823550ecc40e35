/* SPDX-License-Identifier: MIT */
/*
 * Description: a program for tests of restarts: a scan by a team. Its first pass asks for a checkpoint that ends the
 * job, unless the job has restarted. Prints how many prefixes are wrong.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/checkpoint.h"
#include "uat/global.h"
#include "uat/pattern.h"

enum { COUNT = 60000, SPINS = 2000 };

static int64_t *prefixes;

static void spin(void)
{
    for (volatile int i = 0; i < SPINS; i++)
        continue;
}

static void add(int64_t begin, int64_t end, void *value, const void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        *(int64_t *)value += i;
        spin();
        if (i == COUNT / 2 && !uat_restarted())
            uat_checkpoint(UAT_CHECKPOINT_END);
    }
}

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(int64_t *)left += *(const int64_t *)right;
}

static void write(int64_t begin, int64_t end, void *value, const void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        *(int64_t *)value += i;
        uat_global_put(prefixes + i, value, sizeof(int64_t));
    }
}

UAT_REDUCE(int64_t, wrong, 0, UAT_PLUS, i, int64_t *, found)
{
    int64_t prefix;
    uat_global_get(&prefix, found + i, sizeof(prefix));
    return prefix != i * (i + 1) / 2;
}

UAT_TASK(int64_t, scan, int, unused)
{
    static const int64_t none = 0;
    static const uat_reduction_t sums = {add, combine, &none, sizeof(none)};
    int64_t total;
    (void)unused;
    uat_scan(0, COUNT, 1, &sums, write, NULL, 0, &total);
    return wrong(0, COUNT, prefixes) + (total != (int64_t)COUNT * (COUNT - 1) / 2);
}

int main(void)
{
    int64_t result;
    if (uat_init() < 0 || !(prefixes = uat_global_alloc(COUNT * sizeof(*prefixes), UAT_BLOCKED, 0)) ||
        scan_run(&result, 0) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%lld prefixes are wrong\n", (long long)result);
    uat_global_free(prefixes);
    return uat_finalize() < 0;
}
