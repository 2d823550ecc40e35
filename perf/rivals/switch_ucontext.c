/* SPDX-License-Identifier: MIT */
/* POSIX's swapcontext(). It also saves and sets the signal mask. */
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

static ucontext_t *member_running;

static void member(void)
{
    for (;;) {
        value++;
        swapcontext(member_running, &user);
    }
}

static uint64_t ring(int64_t members, int64_t passes)
{
    ucontext_t *all = calloc((size_t)members, sizeof(*all));
    char *stacks = malloc((size_t)members * STACK);
    if (!all || !stacks)
        abort();
    for (int64_t i = 0; i < members; i++) {
        getcontext(&all[i]);
        all[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
        all[i].uc_stack.ss_size = STACK;
        all[i].uc_link = &user;
        makecontext(&all[i], member, 0);
    }
    value = 0;
    for (int64_t done = 0, i = 0; done < passes; done++) {
        member_running = &all[i];
        swapcontext(&user, member_running);
        i = i + 1 == members ? 0 : i + 1;
    }
    free(stacks);
    free(all);
    return (uint64_t)value;
}

/* The bytes of the whole context, as SWAPSTACK's authors count. swapcontext() does not store some of its fields. */
static size_t saved(void)
{
    return sizeof(ucontext_t);
}

const struct uat_rival uat_rival_ucontext = {"ucontext", bare, generator, ring, saved};
