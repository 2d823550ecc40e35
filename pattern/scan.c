/* SPDX-License-Identifier: MIT */
/*
 * uat_scan(): prefix sums in two passes over blocks of iterations (Blelloch, "Prefix Sums and Their Applications",
 * 1990). The sums of the blocks stand in the frame of the calling task, and travel by value.
 */
#include <string.h>

#include "pattern/loop.h"

enum { BLOCKS_PER_WORKER = 4, BLOCKS_MAX = 256 };

/* The argument of a block's task, in front of the user's argument. */
struct block {
    int64_t begin, end;
    uat_reduce_fn *body;
    size_t size; /* bytes of a value */
    size_t arg_offset;
    _Alignas(16) char tail[]; /* the value that the block begins with, the user's argument */
};

static void run_block(void *arg, void *result)
{
    struct block *block = arg;
    memcpy(result, block->tail, block->size);
    block->body(block->begin, block->end, result, block->tail + block->arg_offset);
}

struct scan {
    int64_t begin, end, count; /* iterations; blocks */
    const struct uat_reduction *reduction;
    const void *arg;
    size_t arg_size;
};

/* First iteration of block i, without overflow for ranges of up to 2^63 - 1 iterations. */
static int64_t edge(const struct scan *scan, int64_t i)
{
    int64_t n = scan->end - scan->begin;
    return scan->begin + n / scan->count * i + n % scan->count * i / scan->count;
}

/* Run body over all blocks in parallel: block i begins with start[i], its end value goes to value[i]. */
static void pass(const struct scan *scan, uat_reduce_fn *body, const char *start, char *value)
{
    size_t size = scan->reduction->size, offset = (size + 15) / 16 * 16, bytes = offset + scan->arg_size;
    _Alignas(16) char memory[sizeof(struct block) + bytes];
    struct block *block = (struct block *)memory;
    uat_task_t tasks[scan->count];
    *block = (struct block){.body = body, .size = size, .arg_offset = offset};
    if (scan->arg_size > 0)
        memcpy(block->tail + offset, scan->arg, scan->arg_size);
    for (int64_t i = 0; i < scan->count; i++) {
        block->begin = edge(scan, i);
        block->end = edge(scan, i + 1);
        memcpy(block->tail, start + (size_t)i * size, size);
        uat_spawn(&tasks[i], run_block, block, sizeof(memory), value + (size_t)i * size, size);
    }
    for (int64_t i = scan->count; i > 0; i--)
        uat_join(&tasks[i - 1]);
}

void uat_scan(int64_t begin, int64_t end, const struct uat_reduction *reduction, uat_reduce_fn *body, const void *arg,
              size_t arg_size, void *total)
{
    size_t size = reduction->size;
    int64_t count = (int64_t)BLOCKS_PER_WORKER * uat_size(), n = end > begin ? end - begin : 0;
    count = uat_size() == 1 ? 1 : count > BLOCKS_MAX ? BLOCKS_MAX : count;
    count = count > n ? (n > 0 ? n : 1) : count;
    struct scan scan = {begin, begin + n, count, reduction, arg, arg_size};
    char start[(size_t)count * size], value[(size_t)count * size], running[size];
    memcpy(running, reduction->identity, size);
    if (count > 1) {
        for (int64_t i = 0; i < count; i++)
            memcpy(start + (size_t)i * size, reduction->identity, size);
        pass(&scan, reduction->body, start, value);
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(start + (size_t)i * size, running, size);
        if (i + 1 < count)
            reduction->combine(running, value + (size_t)i * size, arg);
    }
    if (n > 0)
        pass(&scan, body, start, value);
    if (total)
        memcpy(total, n > 0 ? value + (size_t)(count - 1) * size : running, size);
}
