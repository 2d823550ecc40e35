/* SPDX-License-Identifier: MIT */
/*
 * uat_for_near(): a team runs the loop. If no team may, the loop spawns a child for each run of iterations whose
 * elements have the same home. Homes only decide where a part or a child starts. So even if homes change, as after a
 * restart from a checkpoint, every iteration runs once.
 */
#include <string.h>

#include "include/uat/global.h"
#include "include/uat/pattern.h"
#include "pattern/loop.h"
#include "runtime/global/global.h"

/* The argument of a child. The user's argument follows it. */
struct run {
    uat_for_fn *body;
    int64_t begin, end;
    size_t arg_size;
    _Alignas(64) char arg[];
};

static void run_task(void *arg, void *result)
{
    const struct run *r = arg;
    (void)result;
    uat_for(r->begin, r->end, 0, r->body, r->arg, r->arg_size);
}

/* The end of the run that starts at iteration i. The elements of a run have the same home. The function looks up homes
 * block by block. */
static int64_t end_of_run(const char *array, size_t size, int64_t i, int64_t end)
{
    int home = uat_global_home(array + (size_t)i * size);
    while (i < end && uat_global_home(array + (size_t)i * size) == home) {
        size_t inside = (uintptr_t)(array + (size_t)i * size) % UAT_GLOBAL_BLOCK;
        i += (int64_t)((UAT_GLOBAL_BLOCK - inside + size - 1) / size);
    }
    return i < end ? i : end;
}

/* Give each worker the iterations whose elements it keeps. Returns whether a team has run the loop. */
static bool run_by_team(int64_t begin, int64_t end, const void *array, size_t size, uat_for_fn *body, const void *arg,
                        size_t arg_size)
{
    _Alignas(16) char memory[uat_loop_size(0, arg_size)];
    struct uat_loop *loop = (struct uat_loop *)memory;
    *loop = (struct uat_loop){.grain = 1, .body = body, .far = uat_global_is_far() ? 2 * size : 0};
    uat_loop_make(loop, NULL, 0, arg, arg_size);
    return uat_loop_by_team(loop, begin, end, NULL, array, size);
}

void uat_for_near(int64_t begin, int64_t end, const void *array, size_t size, uat_for_fn *body, const void *arg,
                  size_t arg_size)
{
    const char *elements = array;
    size_t bytes = sizeof(struct run) + arg_size;
    _Alignas(64) char block[bytes];
    struct run *r = (struct run *)block;
    uat_group_t group;
    if (begin >= end)
        return;
    if (size == 0 || uat_global_home(elements + (size_t)begin * size) < 0) { /* the elements have no home */
        uat_for(begin, end, 0, body, arg, arg_size);
        return;
    }
    if (run_by_team(begin, end, array, size, body, arg, arg_size))
        return;
    *r = (struct run){.body = body, .arg_size = arg_size};
    if (arg_size > 0)
        memcpy(r->arg, arg, arg_size);
    uat_group_begin(&group);
    for (int64_t i = begin; i < end; i = r->end) {
        int home = uat_global_home(elements + (size_t)i * size);
        r->begin = i;
        r->end = end_of_run(elements, size, i, end);
        if (home >= 0)
            uat_group_spawn_on(&group, home, run_task, r, bytes);
        else
            uat_group_spawn(&group, run_task, r, bytes);
    }
    uat_group_wait(&group);
}
