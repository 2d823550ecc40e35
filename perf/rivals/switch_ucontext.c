/* SPDX-License-Identifier: MIT */
/* POSIX's swapcontext(), which also saves and sets the signal mask. */
#include <stdlib.h>
#include <ucontext.h>

#include "perf/switch.h"

enum { STACK = 16384 };

static ucontext_t user, inside;
static int64_t value, limit;
static char stack[STACK];

static void begin(void (*body)(void))
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof(stack);
    inside.uc_link = &user;
    makecontext(&inside, body, 0);
}

static void tick(void)
{
    for (;;)
        swapcontext(&inside, &user);
}

static void bare(int64_t n)
{
    begin(tick);
    for (int64_t i = 0; i < n; i++)
        swapcontext(&user, &inside);
}

static void count(void)
{
    for (value = 0; value < limit; value++)
        swapcontext(&inside, &user);
}

static uint64_t generator(int64_t n)
{
    uint64_t sum = 0;
    limit = n;
    begin(count);
    swapcontext(&user, &inside);
    while (value < limit) {
        sum += (uint64_t)value;
        swapcontext(&user, &inside);
    }
    return sum;
}

const struct uat_rival uat_rival_ucontext = {"ucontext", bare, generator, NULL};
