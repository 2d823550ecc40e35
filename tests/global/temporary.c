/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks allocate temporary arrays during a run, and fill and read them in parallel. A task frees its array
 * or leaves it to its parent. Every byte must have the value that the array's task wrote, although other tasks use the
 * same memory before and after that task. At the end of a run all of the memory must be free again. A temporary memory
 * of any size can be used up to its last byte.
 *
 * usage: temporary RUNS [whole] (whole: also test a memory of 257 MiB; few of its pages are touched)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum { MEMORY = 6 << 20, DEPTH = 6, LARGEST = 400000, PIECE = 9000, CROWD = 24, HURRIES = 12 };

struct slice {
    unsigned char *at;
    size_t from, to;
    uint64_t seed;
};

struct array {
    unsigned char *at;
    size_t bytes;
    uint64_t seed;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static unsigned char value(uint64_t seed, size_t i)
{
    return (unsigned char)(seed + i * 7 + (i >> 12));
}

static void fail(const char *what, size_t at)
{
    fprintf(stderr, "temporary: %s, byte %zu\n", what, at);
    abort();
}

UAT_TASK_VOID(fill, struct slice, s)
{
    if (s.to - s.from > PIECE) {
        fill_task left;
        struct slice half = {s.at, s.from, s.from + (s.to - s.from) / 3, s.seed};
        fill_spawn(&left, half);
        fill((struct slice){s.at, half.to, s.to, s.seed});
        fill_join(&left);
        return;
    }
    unsigned char *p = uat_global_checkout(s.at + s.from, s.to - s.from, UAT_WRITE);
    for (size_t i = s.from; i < s.to; i++)
        p[i - s.from] = value(s.seed, i);
    uat_global_checkin(s.at + s.from, s.to - s.from, UAT_WRITE);
}

static void compare_piece(struct slice s)
{
    const unsigned char *p = uat_global_checkout(s.at + s.from, s.to - s.from, UAT_READ);
    for (size_t i = s.from; i < s.to; i++)
        if (p[i - s.from] != value(s.seed, i))
            fail("a wrong value", i);
    uat_global_checkin(s.at + s.from, s.to - s.from, UAT_READ);
}

UAT_TASK_VOID(compare, struct slice, s)
{
    if (s.to - s.from > PIECE) {
        compare_task left;
        struct slice half = {s.at, s.from, s.from + (s.to - s.from) / 2, s.seed};
        compare_spawn(&left, half);
        compare((struct slice){s.at, half.to, s.to, s.seed});
        compare_join(&left);
        return;
    }
    compare_piece(s);
}

static void end(struct array a)
{
    if (!a.at)
        return;
    compare((struct slice){a.at, 0, a.bytes, a.seed});
    uat_global_temporary_free(a.at);
}

static struct array begin(uint64_t seed)
{
    struct array a = {.bytes = 1 + mix(seed) % (mix(seed + 1) % 4 ? 20000 : LARGEST), .seed = seed};
    a.at = uat_global_temporary_alloc(a.bytes);
    if (!a.at && errno != ENOMEM)
        fail("the wrong error", 0);
    if (a.at)
        fill((struct slice){a.at, 0, a.bytes, seed});
    return a;
}

/* A tree of tasks, each with an array. About half of the tasks leave their arrays to their parents to free. */
UAT_TASK(struct array, node, uint64_t, seed, int, depth)
{
    struct array own = begin(seed);
    if (depth > 0) {
        node_task left;
        node_spawn(&left, mix(seed + 2), depth - 1);
        end(node(mix(seed + 3), depth - 1));
        end(node_join(&left));
    }
    if (mix(seed + 4) % 2)
        return own;
    end(own);
    return (struct array){0};
}

/* Allocate and free arrays of a few units in quick succession, so that workers compete for the table. */
UAT_TASK_VOID(hurry, uint64_t, seed)
{
    for (uint64_t i = 0; i < HURRIES; i++) {
        uint64_t own = mix(seed + i), seen, *p = uat_global_temporary_alloc(8 + own % (3 * UAT_GLOBAL_BLOCK));
        if (!p)
            continue;
        uat_global_put(p, &own, sizeof(own));
        uat_global_get(&seen, p, sizeof(seen));
        if (seen != own)
            fail("two tasks have the same memory", 0);
        uat_global_temporary_free(p);
    }
}

UAT_TASK_VOID(crowd, uint64_t, seed)
{
    uat_group_t group;
    uat_group_begin(&group);
    for (uint64_t i = 0; i < CROWD; i++)
        hurry_group_spawn(&group, seed + HURRIES * i);
    uat_group_wait(&group);
}

static int run(uint64_t seed)
{
    struct array last;
    if (crowd_run(mix(seed)) || node_run(&last, mix(seed), DEPTH))
        return 1;
    for (size_t at = 0; last.at && uat_rank() == uat_size() - 1 && at < last.bytes; at += PIECE)
        compare_piece((struct slice){last.at, at, at + PIECE < last.bytes ? at + PIECE : last.bytes, last.seed});
    if (uat_rank() == uat_size() - 1) /* freed outside of the run, and mostly by a worker that did not allocate it */
        uat_global_temporary_free(last.at);
    if (uat_barrier())
        return 1;
    if (uat_rank() == 0) {
        unsigned char *all = uat_global_temporary_alloc(MEMORY);
        if (!all || uat_global_home(all) < 0 || uat_global_home(all + MEMORY - 1) < 0)
            fail("memory is lost", 0);
        uat_global_temporary_free(all);
    }
    return uat_barrier();
}

/* Allocate an array of this size on rank 0, and write its last byte. */
static void *take_whole(size_t bytes)
{
    unsigned char *p = uat_global_temporary_alloc(bytes), last = 1;
    if (!p)
        fail("no array of this size", bytes);
    uat_global_put(p + bytes - 1, &last, 1);
    return p;
}

/* A memory with more chunks than units, and a memory smaller than a chunk. */
static int use_whole(void)
{
    enum { CHUNKS = 4097 };
    const size_t sizes[] = {CHUNKS * (size_t)UAT_GLOBAL_BLOCK - 5, 100};
    for (int i = 0; i < 2; i++) {
        if (uat_global_temporary_open(sizes[i], 0))
            return 1;
        if (uat_rank() == 0)
            uat_global_temporary_free(take_whole(sizes[i]));
        if (uat_rank() == 0 && i == 0) { /* a unit has two chunks, so this takes all that is left of 4098 chunks */
            void *first = take_whole(1), *rest = take_whole((CHUNKS - 1) * (size_t)UAT_GLOBAL_BLOCK);
            uat_global_temporary_free(first);
            uat_global_temporary_free(rest);
        }
        if (uat_rank() == 0 && i == 1)
            uat_global_temporary_free(take_whole(UAT_GLOBAL_BLOCK));
        if (uat_barrier())
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    size_t blocks[] = {0, 3 * UAT_GLOBAL_BLOCK};
    if (uat_init())
        return 1;
    for (size_t b = 0; b < 2; b++) { /* the second call replaces the memory */
        if (uat_global_temporary_open(MEMORY, blocks[b]))
            return 1;
        for (int i = 0; i < runs; i++)
            if (run((uint64_t)i * 2 + b))
                return 1;
    }
    if (argc > 2 && strcmp(argv[2], "whole") == 0 && use_whole())
        return 1;
    if (uat_global_temporary_open(0, 0))
        return 1;
    if (uat_rank() == 0)
        printf("temporary: %d runs, all bytes right\n", 2 * runs);
    return uat_finalize() ? 1 : 0;
}
