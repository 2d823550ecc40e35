/* SPDX-License-Identifier: MIT */
/* libaco: coroutines in C. Here each coroutine has its own stack, so no stack is shared or copied. */
#include <aco.h>
#include <stdlib.h>

#include "perf/switch.h"

enum { STACK = 16384 /* bytes */ };

static aco_t *caller(void)
{
    static aco_t *own;
    if (!own) {
        aco_thread_init(NULL);
        own = aco_create(NULL, NULL, 0, NULL, NULL);
    }
    return own;
}

static aco_t *make(void (*body)(void), void *arg)
{
    return aco_create(caller(), aco_share_stack_new2(STACK, 0), 0, body, arg);
}

static void end(aco_t *coroutine)
{
    aco_share_stack_t *stack = coroutine->share_stack;
    aco_destroy(coroutine);
    aco_share_stack_destroy(stack);
}

static void tick(void)
{
    for (;;)
        aco_yield();
}

static void bare(int64_t n)
{
    aco_t *one = make(tick, NULL);
    for (int64_t i = 0; i < n; i++)
        aco_resume(one);
    end(one);
}

struct count {
    int64_t value, limit;
};

static void count(void)
{
    struct count *c = aco_get_arg();
    for (int64_t i = 0; i < c->limit; i++) {
        c->value = i;
        aco_yield();
    }
    aco_exit();
}

static uint64_t generator(int64_t n)
{
    struct count c = {.limit = n};
    aco_t *one = make(count, &c);
    uint64_t sum = 0;
    aco_resume(one);
    while (!one->is_end) {
        sum += (uint64_t)c.value;
        aco_resume(one);
    }
    end(one);
    return sum;
}

static void member(void)
{
    uint64_t *number = aco_get_arg();
    for (;;) {
        ++*number;
        aco_yield();
    }
}

static uint64_t ring(int64_t members, int64_t passes)
{
    aco_t **all = malloc((size_t)members * sizeof(aco_t *));
    uint64_t number = 0;
    if (!all)
        return 0;
    for (int64_t i = 0; i < members; i++)
        all[i] = make(member, &number);
    for (int64_t done = 0, i = 0; done < passes; done++) {
        aco_resume(all[i]);
        i = i + 1 == members ? 0 : i + 1;
    }
    for (int64_t i = 0; i < members; i++)
        end(all[i]);
    free(all);
    return number;
}

const struct uat_rival uat_rival_aco = {"libaco", bare, generator, ring, NULL};
