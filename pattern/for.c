/* SPDX-License-Identifier: MIT */
/* uat_for() and uat_reduce(). */
#include "pattern/loop.h"

#include <string.h>

void uat_for(int64_t begin, int64_t end, int64_t grain, uat_for_fn *body, const void *arg, size_t arg_size)
{
    _Alignas(16) char block[uat_loop_size(0, arg_size)];
    struct uat_loop *loop = (struct uat_loop *)block;
    *loop = (struct uat_loop){.grain = grain > 0 ? grain : 1, .body = body};
    uat_loop_make(loop, NULL, 0, arg, arg_size);
    if (!uat_loop_by_team(loop, begin, end, NULL, NULL, 0))
        uat_loop_run_alone(loop, begin, end, NULL);
}

/* home: the array whose homes the parts follow, with elements of `size` bytes, or NULL. */
static void reduce(int64_t begin, int64_t end, int64_t grain, const void *home, size_t size,
                   const uat_reduction_t *reduction, const void *arg, size_t arg_size, void *result)
{
    _Alignas(16) char block[uat_loop_size(reduction->size, arg_size)];
    struct uat_loop *loop = (struct uat_loop *)block;
    *loop = (struct uat_loop){.grain = grain > 0 ? grain : 1,
                              .far = home ? size : 0,
                              .reduce = reduction->body,
                              .combine = reduction->combine};
    uat_loop_make(loop, reduction->identity, reduction->size, arg, arg_size);
    memcpy(result, reduction->identity, reduction->size);
    if (!uat_loop_by_team(loop, begin, end, result, home, size))
        uat_loop_run_alone(loop, begin, end, result);
}

void uat_reduce(int64_t begin, int64_t end, int64_t grain, const uat_reduction_t *reduction, const void *arg,
                size_t arg_size, void *result)
{
    reduce(begin, end, grain, NULL, 0, reduction, arg, arg_size, result);
}

void uat_reduce_near_grain(int64_t begin, int64_t end, int64_t grain, const void *array, size_t size,
                           const uat_reduction_t *reduction, const void *arg, size_t arg_size, void *result)
{
    reduce(begin, end, grain, uat_loop_home(array, size, begin, end), size, reduction, arg, arg_size, result);
}

void uat_reduce_near(int64_t begin, int64_t end, const void *array, size_t size, const uat_reduction_t *reduction,
                     const void *arg, size_t arg_size, void *result)
{
    uat_reduce_near_grain(begin, end, 0, array, size, reduction, arg, arg_size, result);
}
