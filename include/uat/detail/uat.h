/* SPDX-License-Identifier: MIT */
/* The inline functions of uat.h, and the functions that only they and the library's macros call. Included by uat.h,
 * which describes the functions. */
#ifndef UAT_DETAIL_UAT_H
#define UAT_DETAIL_UAT_H

#include "../../uat.h" /* needed if a program includes this header first */

#include "uat/detail/races.h"

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * uat_spawn() for typed tasks; the code that UAT_TASK generates calls this function. fn may get arg itself instead of a
 * copy. So fn must copy the argument before it calls any function. arg must be in the caller's frame. Both sizes must
 * be at most UAT_SPAWN_TYPED_MAX.
 */
void uat_spawn_typed(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size);
#define UAT_SPAWN_TYPED_MAX 512

/* The slow path of uat_join(), for a child that has parted from its spawner. */
void uat_join_wait(uat_task_t *t);

UAT_INLINE void uat_join(uat_task_t *t)
{
#if defined(UAT_RACES)
    uat_races_join(t);
#elif defined(UAT_PROFILE)
    uat_profile_join(t);
#else
    if (__builtin_expect(t->record != 0, 0))
        uat_join_wait(t);
#endif
}

/* The value of uat_task_t.result in the handle of a group. */
#define UAT_GROUP_RESULT ((void *)1)

UAT_INLINE void uat_group_begin(uat_group_t *group)
{
    group->record = 0;
    group->parted = 0;
    group->self = group;
    group->cancel.object = group->cancel.serial = 0;
    group->outer = group->cancel;
#ifdef UAT_PROFILE
    uat_profile_group_begin(group);
#endif
}

UAT_INLINE void uat_group_begin_in(uat_group_t *group, uat_cancel_t outer)
{
    uat_group_begin(group);
    group->cancel = group->outer = outer;
}

UAT_INLINE void uat_group_spawn(uat_group_t *group, uat_fn *fn, const void *arg, size_t arg_size)
{
    if (__builtin_expect(group->cancel.object != 0, 0) && uat_cancelled(group->cancel))
        return;
    uat_spawn(UAT_GROUP_TASK(group), fn, arg, arg_size, UAT_GROUP_RESULT, 0);
    if (__builtin_expect(group->task.record != 0, 0)) /* the child has parted from the spawner */
        group->parted++;
}

/* uat_group_spawn() for typed tasks: see uat_spawn_typed(). The size is a constant, so the compiler keeps only one of
 * the two cases. */
UAT_INLINE void uat_group_spawn_typed(uat_group_t *group, uat_fn *fn, const void *arg, size_t arg_size)
{
    if (arg_size > UAT_SPAWN_TYPED_MAX) {
        uat_group_spawn(group, fn, arg, arg_size);
        return;
    }
    if (__builtin_expect(group->cancel.object != 0, 0) && uat_cancelled(group->cancel))
        return;
    uat_spawn_typed(UAT_GROUP_TASK(group), fn, arg, arg_size, UAT_GROUP_RESULT, 0);
    if (__builtin_expect(group->task.record != 0, 0)) /* the child has parted from the spawner */
        group->parted++;
}

UAT_INLINE void uat_group_spawn_on(uat_group_t *group, int rank, uat_fn *fn, const void *arg, size_t arg_size)
{
    if (__builtin_expect(group->cancel.object != 0, 0) && uat_cancelled(group->cancel))
        return;
    uat_spawn_on(UAT_GROUP_TASK(group), rank, fn, arg, arg_size, UAT_GROUP_RESULT, 0);
    if (__builtin_expect(group->task.record != 0, 0)) /* the child has parted from the spawner */
        group->parted++;
}

/* Ends the validity of the handle that cancels the group. */
void uat_group_end_cancel(uat_group_t *group);

UAT_INLINE void uat_group_wait(uat_group_t *group)
{
#ifdef UAT_RACES
    uat_races_group_wait(group);
#else
#ifdef UAT_PROFILE
    uat_profile_group_wait(group);
#else
    if (__builtin_expect(group->record != 0, 0)) {
        group->task.record = group->record;
        uat_join_wait(&group->task);
    }
#endif
    if (__builtin_expect(group->cancel.object != group->outer.object, 0))
        uat_group_end_cancel(group);
#endif
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
