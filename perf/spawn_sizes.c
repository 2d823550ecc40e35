/* SPDX-License-Identifier: MIT */
#include "perf/spawn_sizes.h"

#include <errno.h>

#include "base/virtual.h"
#include "perf/samples.h"
#include "uat.h"

enum {
    BATCH = 1000,
    WINDOW = 10,
    DEPTH = 32 /* spawners above the loop; at any time, fewer entries than this are
                                              * published */
};

/* Defines a task, and a loop that spawns and joins it. The argument has `bytes` bytes, and the result has 8 or 16. Both
 * travel by value. The program writes the argument to memory long before the spawn, as is usual for an argument of this
 * size. */
#define SIZE(bytes, type, name)                                                                                        \
    struct name##_arg {                                                                                                \
        uint32_t word[(bytes) / 4];                                                                                    \
    };                                                                                                                 \
    UAT_TASK(type, name, struct name##_arg, a)                                                                         \
    {                                                                                                                  \
        return (type){.first = a.word[0] + UINT64_C(1) * a.word[(bytes) / 4 - 1]};                                     \
    }                                                                                                                  \
    static uint64_t loop_##name(void)                                                                                  \
    {                                                                                                                  \
        struct name##_arg a = {.word = {[0] = 1, [(bytes) / 4 - 1] = 2}};                                              \
        uint64_t right = 0;                                                                                            \
                                                                                                                       \
        for (int i = 0; i < BATCH; i++) {                                                                              \
            name##_task child;                                                                                         \
                                                                                                                       \
            __asm__ volatile("" : "+m"(a));                                                                            \
            name##_spawn(&child, a);                                                                                   \
            right += name##_join(&child).first == 3;                                                                   \
        }                                                                                                              \
        return right;                                                                                                  \
    }

/* Defines a loop that spawns the same task in a group. The loop waits for the group after every WINDOW children. */
#define GROUP(name)                                                                                                    \
    static uint64_t group_##name(void)                                                                                 \
    {                                                                                                                  \
        struct name##_arg a = {.word = {[0] = 1}};                                                                     \
        uat_group_t group;                                                                                             \
                                                                                                                       \
        uat_group_begin(&group);                                                                                       \
        for (int i = 0; i < BATCH; i++) {                                                                              \
            __asm__ volatile("" : "+m"(a));                                                                            \
            name##_group_spawn(&group, a);                                                                             \
            if (i % WINDOW == WINDOW - 1)                                                                              \
                uat_group_wait(&group);                                                                                \
        }                                                                                                              \
        uat_group_wait(&group);                                                                                        \
        return BATCH;                                                                                                  \
    }

struct single {
    uint64_t first;
};

struct pair {
    uint64_t first, second;
};

SIZE(8, struct single, arg8)
SIZE(16, struct single, arg16)
SIZE(24, struct single, arg24)
SIZE(36, struct single, arg36)
SIZE(48, struct single, arg48)
SIZE(64, struct single, arg64)
SIZE(8, struct pair, arg8_result16)
SIZE(36, struct pair, arg36_result16)
GROUP(arg8)
GROUP(arg36)

static const struct size {
    const char *name;
    uint64_t (*loop)(void);
} sizes[] = {
    {"arg8", loop_arg8},
    {"arg16", loop_arg16},
    {"arg24", loop_arg24},
    {"arg36", loop_arg36},
    {"arg48", loop_arg48},
    {"arg64", loop_arg64},
    {"arg8_result16", loop_arg8_result16},
    {"arg36_result16", loop_arg36_result16},
    {"group_arg8", group_arg8},
    {"group_arg36", group_arg36},
};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
static struct uat_samples samples[SIZES];

/* Nest `depth` spawners, then time the loop in the innermost one. Only the outer spawners are ever published, so the
 * timed spawns and joins are private. */
UAT_TASK(uint64_t, nested, int64_t, depth, int64_t, batches, int64_t, size)
{
    uint64_t right = 0;

    if (depth > 0) {
        nested_task child;

        nested_spawn(&child, depth - 1, batches, size);
        return nested_join(&child);
    }
    for (int64_t batch = 0; batch < batches; batch++) {
        uint64_t begin = uat_counter();

        right += sizes[size].loop();
        uat_samples_add(&samples[size], uat_counter() - begin);
    }
    return right;
}

int uat_spawn_sizes_measure(int64_t batches)
{
    for (int i = 0; i < SIZES; i++) {
        uint64_t right = 0;
        int status = uat_samples_open(&samples[i], sizes[i].name, (size_t)batches);

        samples[i].divisor = BATCH;
        if (!status)
            status = nested_run(&right, DEPTH, batches, i);
        if (status)
            return status;
        if (right != (uint64_t)(batches * BATCH))
            return -EPROTO;
    }
    return 0;
}

void uat_spawn_sizes_report(double tsc_hz)
{
    uat_samples_head("spawn and join");
    for (int i = 0; i < SIZES; i++) {
        uat_samples_sort(&samples[i]);
        uat_samples_report(&samples[i], tsc_hz);
        uat_samples_close(&samples[i]);
    }
}
