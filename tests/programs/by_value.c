/* SPDX-License-Identifier: MIT */
/*
 * Description: typed tasks. Their arguments and results have 0 to 80 bytes and any alignment. Some have more bytes than
 * uat_spawn_typed() takes. The child has its own copy of the argument. It changes the copy, spawns, works while thieves
 * take its spawner, and then checks the copy.
 * usage: by_value [ROUNDS]
 */
#include "tests/programs/by_value.h"

#include <stdbool.h>
#include <stdlib.h>

#include "uat/generator.h"

/* clang-format off */
#define TEN(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) \
    TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) X(80) X(505) X(512) X(513) X(900)
/* clang-format on */

UAT_TASK_VOID(nothing)
{
    by_value_work();
}

/* Arguments and results of n bytes. Those of the second task are aligned to 1, 2, 4, ... or 64 bytes: n % 7 determines
 * the alignment. */
#define TASKS(n)                                                                                                       \
    struct plain_##n {                                                                                                 \
        unsigned char byte[n];                                                                                         \
    };                                                                                                                 \
    struct aligned_##n {                                                                                               \
        _Alignas(1 << n % 7) unsigned char byte[n];                                                                    \
    };                                                                                                                 \
    UAT_TASK(struct plain_##n, plain_##n, struct plain_##n, a)                                                         \
    {                                                                                                                  \
        nothing_task child;                                                                                            \
        bool whole = by_value_wrong(&a, n, n) == 0;                                                                    \
                                                                                                                       \
        by_value_fill(&a, n, n + 1);                                                                                   \
        nothing_spawn(&child);                                                                                         \
        by_value_work();                                                                                               \
        nothing_join(&child);                                                                                          \
        if (!whole)                                                                                                    \
            a.byte[0]++;                                                                                               \
        return a;                                                                                                      \
    }                                                                                                                  \
    UAT_TASK(struct aligned_##n, aligned_##n, struct plain_##n, a, struct aligned_##n, b)                              \
    {                                                                                                                  \
        nothing_task child;                                                                                            \
                                                                                                                       \
        nothing_spawn(&child);                                                                                         \
        by_value_work();                                                                                               \
        nothing_join(&child);                                                                                          \
        bool whole = by_value_wrong(&a, n, n) == 0 && by_value_wrong(&b, n, n + 1) == 0;                               \
        by_value_fill(&b, n, whole && (uintptr_t)&b % _Alignof(struct aligned_##n) == 0 ? n + 2 : n);                  \
        return b;                                                                                                      \
    }                                                                                                                  \
    UAT_TASK(int, both_##n, int, rounds)                                                                               \
    {                                                                                                                  \
        int wrong = 0;                                                                                                 \
                                                                                                                       \
        for (int i = 0; i < rounds; i++) {                                                                             \
            struct plain_##n a;                                                                                        \
            struct aligned_##n b;                                                                                      \
            plain_##n##_task s;                                                                                        \
            aligned_##n##_task t;                                                                                      \
                                                                                                                       \
            by_value_fill(&a, n, n);                                                                                   \
            by_value_fill(&b, n, n + 1);                                                                               \
            plain_##n##_spawn(&s, a);                                                                                  \
            aligned_##n##_spawn(&t, a, b);                                                                             \
            wrong += by_value_wrong(&a, n, n) + by_value_wrong(&b, n, n + 1);                                          \
            b = aligned_##n##_join(&t);                                                                                \
            a = plain_##n##_join(&s);                                                                                  \
            wrong += by_value_wrong(&a, n, n + 1) + by_value_wrong(&b, n, n + 2);                                      \
        }                                                                                                              \
        return wrong;                                                                                                  \
    }
SIZES(TASKS)

/* A task gets bytes by value and passes them by value to a generator, which lives across a spawn. */
UAT_GENERATOR(int, bytes_of, struct plain_36, a)
{
    for (int i = 0; i < 36; i++)
        uat_generator_yield(a.byte[i]);
}

UAT_TASK(int, generated, struct plain_36, a)
{
    bytes_of_generator g;
    plain_36_task child;
    int byte, sum = 0;

    bytes_of_begin(&g, a);
    for (int i = 0; i < 18 && uat_generator_next(&g, &byte); i++)
        sum += byte;
    plain_36_spawn(&child, a);
    by_value_work();
    struct plain_36 same = plain_36_join(&child);
    while (uat_generator_next(&g, &byte))
        sum += byte;
    uat_generator_end(&g);
    for (int i = 0; i < 36; i++)
        sum -= a.byte[i];
    return sum != 0 || by_value_wrong(&same, 36, 37);
}

UAT_TASK(int, all, int, rounds)
{
    int wrong = 0;

#define SPAWN(n)                                                                                                       \
    both_##n##_task task_##n;                                                                                          \
    both_##n##_spawn(&task_##n, rounds);
#define JOIN(n) wrong += both_##n##_join(&task_##n);
    SIZES(SPAWN)
    SIZES(JOIN)
    for (int i = 0; i < rounds; i++) {
        struct plain_36 a;
        generated_task t;

        by_value_fill(&a, 36, 36);
        generated_spawn(&t, a);
        by_value_work();
        wrong += generated_join(&t);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0, status = uat_init();

    if (status)
        return 1;
    status = all_run(&wrong, argc > 1 ? atoi(argv[1]) : 1);
    return by_value_end("by_value", status, wrong);
}
