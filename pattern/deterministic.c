/* SPDX-License-Identifier: MIT */
/*
 * uat_reduce_deterministic(): the iterations are cut into blocks of a fixed length, and the values of the blocks are
 * combined along a binary tree. The tree depends on the range and on the length only, so the result has the same bits
 * on any number of workers. oneTBB's parallel_deterministic_reduce() is deterministic, too, but halves the range.
 */
#include <stdbool.h>
#include <string.h>

#include "pattern/failed.h"
#include "pattern/loop.h"
#include "runtime/global/global.h"

static void reduce_blocks(struct uat_loop *loop, int64_t begin, int64_t end, void *value);

static void reduce_task(void *arg, void *result)
{
    struct uat_loop *loop = arg;
    reduce_blocks(loop, loop->begin, loop->end, result);
}

/* The first iteration of the second half of the blocks. The number of iterations may be above INT64_MAX. */
static int64_t middle_of(const struct uat_loop *loop, int64_t begin, int64_t end)
{
    uint64_t length = (uint64_t)loop->grain, n = (uint64_t)end - (uint64_t)begin;
    uint64_t blocks = n / length + (n % length != 0);
    return (int64_t)((uint64_t)begin + blocks / 2 * length);
}

/* Set *value to the value of [begin, end), which is not empty. */
static void reduce_blocks(struct uat_loop *loop, int64_t begin, int64_t end, void *value)
{
    const void *arg = loop->tail + loop->arg_offset;
    size_t size = loop->value_size;
    if ((uint64_t)end - (uint64_t)begin <= (uint64_t)loop->grain) {
        memcpy(value, loop->tail, size);
        loop->reduce(begin, end, value, arg);
        return;
    }
    int64_t middle = middle_of(loop, begin, end);
    _Alignas(16) char first[size + 1]; /* C has no arrays of zero bytes */
    _Alignas(16) char second[size + 1];
    uat_task_t task;
    bool alone = uat_global_has_open(); /* while ranges are checked out, no spawn may follow */
    if (alone) {
        reduce_blocks(loop, begin, middle, first);
    } else {
        loop->begin = begin; /* the spawn copies the loop's block */
        loop->end = middle;
        UAT_PROFILE_AS((void (*)(void))loop->reduce);
        uat_spawn(&task, reduce_task, loop, loop->bytes, first, size);
    }
    if (!uat_failed())
        reduce_blocks(loop, middle, end, second);
    if (!alone)
        uat_pattern_join(&task, true);
    if (uat_failed())
        return;
    loop->combine(first, second, arg);
    memcpy(value, first, size);
}

void uat_reduce_deterministic(int64_t begin, int64_t end, int64_t block, const uat_reduction_t *reduction,
                              const void *arg, size_t arg_size, void *result)
{
    _Alignas(16) char room[uat_loop_size(reduction->size, arg_size)];
    struct uat_loop *loop = (struct uat_loop *)room;
    *loop = (struct uat_loop){.grain = block > 0 ? block : 1, .reduce = reduction->body, .combine = reduction->combine};
    uat_loop_make(loop, reduction->identity, reduction->size, arg, arg_size);
    if (begin < end)
        reduce_blocks(loop, begin, end, result);
    else
        memcpy(result, reduction->identity, reduction->size);
}
