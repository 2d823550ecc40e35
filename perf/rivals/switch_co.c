/* SPDX-License-Identifier: MIT */
/* libco: cothreads in C. A switch passes no value, so values are in variables of this file. */
#include <libco.h>
#include <stdlib.h>

#include "perf/switch.h"

enum { STACK = 16384 /* bytes */ };

static cothread_t user;
static int64_t value, limit;

static void tick(void)
{
    for (;;)
        co_switch(user);
}

static void bare(int64_t n)
{
    cothread_t one = co_create(STACK, tick);
    user = co_active();
    for (int64_t i = 0; i < n; i++)
        co_switch(one);
    co_delete(one);
}

static void count(void)
{
    for (value = 0; value < limit; value++)
        co_switch(user);
    for (;;) /* a cothread does not return */
        co_switch(user);
}

static uint64_t generator(int64_t n)
{
    cothread_t one = co_create(STACK, count);
    uint64_t sum = 0;
    user = co_active();
    limit = n;
    co_switch(one);
    while (value < limit) {
        sum += (uint64_t)value;
        co_switch(one);
    }
    co_delete(one);
    return sum;
}

static void member(void)
{
    for (;;) {
        value++;
        co_switch(user);
    }
}

static uint64_t ring(int64_t members, int64_t passes)
{
    cothread_t *all = malloc((size_t)members * sizeof(*all));
    if (!all)
        return 0;
    user = co_active();
    value = 0;
    for (int64_t i = 0; i < members; i++)
        all[i] = co_create(STACK, member);
    for (int64_t done = 0, i = 0; done < passes; done++) {
        co_switch(all[i]);
        i = i + 1 == members ? 0 : i + 1;
    }
    for (int64_t i = 0; i < members; i++)
        co_delete(all[i]);
    free(all);
    return (uint64_t)value;
}

const struct uat_rival uat_rival_co = {"libco", bare, generator, ring, NULL};
