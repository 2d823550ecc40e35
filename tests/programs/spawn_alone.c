/* SPDX-License-Identifier: MIT */
/*
 * Description: typed spawns in a function that calls nothing else keep its values and those of its caller, and give the
 * child an aligned stack. Every second child waits, so that the function continues from the registers that the spawn
 * has saved.
 */
#include "uat.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat/sync.h"

enum { ROUNDS = 200, VALUES = 8, DEPTH = 40 };
static volatile uint64_t odd[VALUES] = {3, 5, 7, 11, 13, 17, 19, 23};

/* Results of 0, 1, 2, 4, 8 and 16 bytes, and of 12 bytes, which take the call. */
struct two {
    uint64_t first, second;
};
struct three {
    uint32_t word[3];
};
static bool aligned(void)
{
    return (uintptr_t)__builtin_frame_address(0) % 16 == 0;
}
static void wait_if(uint64_t n)
{
    volatile char below[512]; /* what the spawner keeps below its stack pointer would be lost */
    for (size_t i = 0; i < sizeof(below); i++)
        below[i] = (char)n;
    if (n % 2)
        uat_yield();
}
UAT_TASK(struct two, two, uint64_t, n)
{
    bool good = aligned();
    wait_if(n);
    return (struct two){n, good};
}
UAT_TASK(uint64_t, one, uint64_t, n)
{
    bool good = aligned();
    wait_if(n);
    return good ? n : 0;
}
UAT_TASK(int32_t, half, uint64_t, n)
{
    bool good = aligned();
    wait_if(n);
    return good ? -(int32_t)n : 0;
}
UAT_TASK(int16_t, quarter, uint64_t, n)
{
    bool good = aligned();
    wait_if(n);
    return good ? -(int16_t)n : 0;
}
UAT_TASK(int8_t, eighth, uint64_t, n)
{
    bool good = aligned();
    wait_if(n);
    return good ? -(int8_t)(n % 100) : 1;
}
UAT_TASK(struct three, three, uint64_t, n)
{
    wait_if(n);
    return (struct three){{(uint32_t)n, ~(uint32_t)n, 3}};
}
UAT_TASK_VOID(none, uint64_t, n)
{
    if (!aligned())
        abort();
    wait_if(n);
}

/* Each function has more values than registers, and no other call. */
#define ALONE(name)                                                                                                    \
    __attribute__((noinline)) static bool name##_alone(name##_task *t, uint64_t n)                                     \
    {                                                                                                                  \
        uint64_t a = odd[0] * n, b = odd[1] * n, c = odd[2] * n, d = odd[3] * n, e = odd[4] * n, f = odd[5] * n;       \
        double x = (double)odd[6], y = (double)odd[7];                                                                 \
        name##_spawn(t, n);                                                                                            \
        return a == 3 * n && b == 5 * n && c == 7 * n && d == 11 * n && e == 13 * n && f == 17 * n && x == 19 &&       \
               y == 23;                                                                                                \
    }
ALONE(two)
ALONE(one)
ALONE(half)
ALONE(quarter)
ALONE(eighth)
ALONE(three)
ALONE(none)

/* The small results, with a byte after each, which must stay. */
static __attribute__((noinline)) int check_small(uint64_t n)
{
    struct {
        quarter_task quarter;
        eighth_task eighth;
        three_task three;
    } t;
    memset(&t, 0x5a, sizeof(t));
    int kept = quarter_alone(&t.quarter, n) + eighth_alone(&t.eighth, n) + three_alone(&t.three, n);
    struct three three = three_join(&t.three);
    int right = (three.word[0] == n) + (three.word[1] == ~(uint32_t)n) + (three.word[2] == 3);
    right += (eighth_join(&t.eighth) == -(int8_t)(n % 100)) + (quarter_join(&t.quarter) == -(int16_t)n);
    const unsigned char *after = (const unsigned char *)&t.eighth.value + 1;
    return (kept != 3) + (right != 5) + (*after != 0x5a) + (((const unsigned char *)&t.quarter.value)[2] != 0x5a);
}

/* Returns the number of faults, and adds to *waited how many children parted from this task. */
static __attribute__((noinline)) int check(uint64_t n, int *waited)
{
    uint64_t a = odd[0] + n, b = odd[1] + n, c = odd[2] + n, d = odd[3] + n, e = odd[4] + n, f = odd[5] + n;
    two_task t2;
    one_task t1;
    half_task th;
    none_task t0;
    int kept = two_alone(&t2, n) + one_alone(&t1, n) + half_alone(&th, n) + none_alone(&t0, n);
    *waited += (t2.task.record != 0) + (t1.task.record != 0) + (th.task.record != 0) + (t0.task.record != 0);
    none_join(&t0);
    int right = (half_join(&th) == -(int32_t)n) + (one_join(&t1) == n);
    struct two both = two_join(&t2);
    right += both.first == n && both.second;
    bool same = a == 3 + n && b == 5 + n && c == 7 + n && d == 11 + n && e == 13 + n && f == 17 + n;
    return (kept != 4) + (right != 3) + !same;
}

static int parted; /* children, in this process */

/* A worker publishes a few entries, so only spawns far below the root take the common path. */
UAT_TASK(int, nest, int, depth, uint64_t, n)
{
    nest_task t;
    if (depth == 0)
        return check_small(n) + check(n, &parted);
    nest_spawn(&t, depth - 1, n);
    return nest_join(&t);
}

UAT_TASK(int, root, int, rounds)
{
    int faults = 0;
    for (int i = 1; i <= rounds; i++)
        faults += nest(DEPTH, (uint64_t)i);
    printf("%d faults, %d children that parted from their spawner\n", faults, parted);
    return faults != 0 || parted < rounds; /* 4 children wait in every second round */
}

int main(void)
{
    int failed = 1;
    if (uat_init() || root_run(&failed, ROUNDS))
        return 1;
    return uat_finalize() || failed;
}
