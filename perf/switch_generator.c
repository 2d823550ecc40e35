/* SPDX-License-Identifier: MIT */
/* uat's generators, as uat-switch measures them. */
#include <stdlib.h>

#include "perf/switch.h"
#include "uat/generator.h"

UAT_GENERATOR(char, ticks, int64_t, n)
{
    for (;;)
        uat_generator_yield(0);
}

/* An iteration makes four round trips. So the loop's counter is live in only one of the four. */
static void bare(int64_t n)
{
    ticks_generator g;
    char tick;
    ticks_begin(&g, n);
    for (int64_t i = 0; i < n; i += 4) {
        uat_generator_next(&g, &tick);
        uat_generator_next(&g, &tick);
        uat_generator_next(&g, &tick);
        uat_generator_next(&g, &tick);
    }
    uat_generator_end(&g);
}

UAT_GENERATOR(int64_t, numbers, int64_t, n)
{
    for (int64_t i = 0; i < n; i++)
        uat_generator_yield(i);
}

static uint64_t generator(int64_t n)
{
    numbers_generator g;
    int64_t value;
    uint64_t sum = 0;
    numbers_begin(&g, n);
    while (uat_generator_next(&g, &value))
        sum += (uint64_t)value;
    return sum;
}

/* A member of the ring. The member that was resumed last has the number. */
UAT_GENERATOR_SIZED(1024, int64_t, member, int64_t *, number)
{
    for (;;) {
        ++*number;
        uat_generator_yield(*number);
    }
}

static uint64_t ring(int64_t members, int64_t passes)
{
    member_generator *all = aligned_alloc(64, ((size_t)members * sizeof(*all) + 63) / 64 * 64);
    int64_t number = 0, value = 0;
    if (!all)
        return 0;
    for (int64_t i = 0; i < members; i++)
        member_begin(&all[i], &number);
    for (int64_t done = 0, i = 0; done < passes; done++) {
        uat_generator_next(&all[i], &value);
        i = i + 1 == members ? 0 : i + 1;
    }
    for (int64_t i = 0; i < members; i++)
        uat_generator_end(&all[i]);
    free(all);
    return (uint64_t)value;
}

/* A switch stores this struct, and pushes nothing. */
static size_t saved(void)
{
    return sizeof(struct uat_generator_side);
}

const struct uat_rival uat_rival_generator = {"uat_generator", bare, generator, ring, saved};
