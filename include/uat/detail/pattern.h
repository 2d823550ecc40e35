/* SPDX-License-Identifier: MIT */
/* UAT_FOR() and UAT_REDUCE(). Included by uat/pattern.h, which describes them. */
#ifndef UAT_DETAIL_PATTERN_H
#define UAT_DETAIL_PATTERN_H

#include "../pattern.h" /* needed if a program includes this header first */

#ifdef __cplusplus
extern "C" {
#endif
/* uat_reduce() or uat_reduce_deterministic(). */
typedef void uat_reducing_fn(int64_t begin, int64_t end, int64_t grain, const uat_reduction_t *reduction,
                             const void *arg, size_t arg_size, void *result);

/* uat_reduce_near() with the least number of iterations that are worth a part of their own. */
__attribute__((visibility("default"))) void uat_reduce_near_grain(int64_t begin, int64_t end, int64_t grain,
                                                                  const void *array, size_t size,
                                                                  const uat_reduction_t *reduction, const void *arg,
                                                                  size_t arg_size, void *result);

/* End the job, because combine(identity, identity) of this reduction or reducer is another value than identity. */
__attribute__((visibility("default"), noreturn, cold)) void uat_refuse_identity(const char *name);
#ifdef __cplusplus
}
#endif

/*
 * A check that the identity can be the neutral value of `combine`: combine(identity, identity) is the identity. e1 and
 * e2 are variables that hold it. The compiler folds the check for constants and operations that it can see. It compares
 * numbers only, of at most 8 bytes, because a struct may have padding. An operation like UAT_MAX passes with any value.
 * __builtin_classify_type() is below 8 for integers and pointers, and 8 for floating-point numbers.
 */
#define UAT_CHECK_IDENTITY(type, name, e1, e2, combine)                                                                \
    do {                                                                                                               \
        type uat_e3 = combine(e1, e2);                                                                                 \
        if (sizeof(type) <= 8 && __builtin_classify_type(uat_e3) <= 8 &&                                               \
            __builtin_memcmp(&e1, &uat_e3, sizeof(type)) != 0)                                                         \
            uat_refuse_identity(#name);                                                                                \
    } while (0)

/* The macros below only expand lists, like those of UAT_TASK(). */
#define UAT_STEP_HEAD(name, ...)         UAT_CAT(UAT_STEP_HEAD_, UAT_FORM(__VA_ARGS__))(name, __VA_ARGS__)
#define UAT_STEP_HEAD_none(name, i)      name##_uat_step(int64_t i)
#define UAT_STEP_HEAD_good(name, i, ...) name##_uat_step(int64_t i, UAT_PARAMS(__VA_ARGS__))
#define UAT_STEP_HEAD_pair(name, i, ...) name##_uat_step(void)
#define UAT_STEP_HEAD_many(name, i, ...) name##_uat_step(void)

#define UAT_FOR_good(name, i, ...)                                                                                     \
    UAT_CHECKS(name, __VA_ARGS__)                                                                                      \
    UAT_FOR_DEFINE(name, (, UAT_PARAMS(__VA_ARGS__)), (UAT_MEMBERS(__VA_ARGS__)), (UAT_NAMES(__VA_ARGS__)),            \
                   (, UAT_NAMES(__VA_ARGS__)), (, UAT_FIELDS(uat_a, __VA_ARGS__)))
#define UAT_FOR_none(name, i)      UAT_FOR_DEFINE(name, (), (long uat_none;), (0), (), ())
#define UAT_FOR_pair(name, i, ...) UAT_REFUSE_PAIR
#define UAT_FOR_many(name, i, ...) UAT_REFUSE_MANY
#define UAT_REDUCE_good(type, name, identity, combine, i, ...)                                                         \
    UAT_CHECKS(name, __VA_ARGS__)                                                                                      \
    UAT_REDUCE_DEFINE(type, name, identity, combine, (, UAT_PARAMS(__VA_ARGS__)), (UAT_MEMBERS(__VA_ARGS__)),          \
                      (UAT_NAMES(__VA_ARGS__)), (, UAT_NAMES(__VA_ARGS__)), (, UAT_FIELDS(uat_a, __VA_ARGS__)))
#define UAT_REDUCE_none(type, name, identity, combine, i)                                                              \
    UAT_REDUCE_DEFINE(type, name, identity, combine, (), (long uat_none;), (0), (), ())
#define UAT_REDUCE_pair(type, name, identity, combine, i, ...) UAT_REFUSE_PAIR
#define UAT_REDUCE_many(type, name, identity, combine, i, ...) UAT_REFUSE_MANY

#define UAT_FOR_DEFINE(name, more, members, names, pass, fields)                                                       \
    UAT_LOOP_ARGS(name, members)                                                                                       \
    static inline void name##_uat_step(int64_t uat_i UAT_UNWRAP more);                                                 \
    static void name##_uat_loop(int64_t uat_begin, int64_t uat_end, const void *uat_arg)                               \
    {                                                                                                                  \
        UAT_ALIGNED_ARGS(struct name##_uat_args, uat_arg)                                                              \
        for (int64_t uat_i = uat_begin; uat_i < uat_end; uat_i++)                                                      \
            name##_uat_step(uat_i UAT_UNWRAP fields);                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static void name##_grain(int64_t uat_begin, int64_t uat_end, int64_t uat_grain UAT_UNWRAP more)         \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_for(uat_begin, uat_end, uat_grain, name##_uat_loop, &uat_a, sizeof(uat_a));                                \
    }                                                                                                                  \
    UAT_UNUSED static void name##_near(int64_t uat_begin, int64_t uat_end, const void *uat_array,                      \
                                       size_t uat_size UAT_UNWRAP more)                                                \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_for_near(uat_begin, uat_end, uat_array, uat_size, name##_uat_loop, &uat_a, sizeof(uat_a));                 \
    }                                                                                                                  \
    UAT_UNUSED static void name(int64_t uat_begin, int64_t uat_end UAT_UNWRAP more)                                    \
    {                                                                                                                  \
        name##_grain(uat_begin, uat_end, 0 UAT_UNWRAP pass);                                                           \
    }

#define UAT_REDUCE_DEFINE(type, name, identity, combine, more, members, names, pass, fields)                           \
    UAT_STATIC_ASSERT(!UAT_IS_ARRAY(type), "UAT_REDUCE: a value cannot be an array; use a struct that holds it");      \
    UAT_STATIC_ASSERT(__alignof__(type) <= 16, "UAT_REDUCE: a value is aligned to at most 16 bytes");                  \
    UAT_LOOP_ARGS(name, members)                                                                                       \
    static inline type name##_uat_step(int64_t uat_i UAT_UNWRAP more);                                                 \
    static void name##_uat_loop(int64_t uat_begin, int64_t uat_end, void *uat_partial, const void *uat_arg)            \
    {                                                                                                                  \
        UAT_ALIGNED_ARGS(struct name##_uat_args, uat_arg)                                                              \
        type uat_sum = *UAT_CAST(type *, uat_partial); /* stays in the task's frame, which migrates with the body */   \
        for (int64_t uat_i = uat_begin; uat_i < uat_end; uat_i++) {                                                    \
            type uat_v = name##_uat_step(uat_i UAT_UNWRAP fields);                                                     \
            uat_sum = combine(uat_sum, uat_v);                                                                         \
        }                                                                                                              \
        *UAT_CAST(type *, uat_partial) = uat_sum;                                                                      \
    }                                                                                                                  \
    static void name##_uat_combine(void *uat_left, const void *uat_right, const void *uat_arg)                         \
    {                                                                                                                  \
        (void)uat_arg;                                                                                                 \
        *UAT_CAST(type *, uat_left) = combine(*UAT_CAST(type *, uat_left), *UAT_CAST(const type *, uat_right));        \
    }                                                                                                                  \
    UAT_UNUSED static inline type name##_uat_reduce(uat_reducing_fn *uat_by, int64_t uat_begin, int64_t uat_end,       \
                                                    int64_t uat_grain UAT_UNWRAP more)                                 \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        type uat_none = identity, uat_again = identity, uat_result;                                                    \
        UAT_CHECK_IDENTITY(type, name, uat_none, uat_again, combine);                                                  \
        const uat_reduction_t uat_r = {name##_uat_loop, name##_uat_combine, &uat_none, sizeof(type)};                  \
        uat_by(uat_begin, uat_end, uat_grain, &uat_r, &uat_a, sizeof(uat_a), &uat_result);                             \
        return uat_result;                                                                                             \
    }                                                                                                                  \
    UAT_UNUSED static type name##_grain(int64_t uat_begin, int64_t uat_end, int64_t uat_grain UAT_UNWRAP more)         \
    {                                                                                                                  \
        return name##_uat_reduce(uat_reduce, uat_begin, uat_end, uat_grain UAT_UNWRAP pass);                           \
    }                                                                                                                  \
    UAT_UNUSED static type name##_near(int64_t uat_begin, int64_t uat_end, const void *uat_array,                      \
                                       size_t uat_size UAT_UNWRAP more)                                                \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        type uat_none = identity, uat_again = identity, uat_result;                                                    \
        UAT_CHECK_IDENTITY(type, name, uat_none, uat_again, combine);                                                  \
        const uat_reduction_t uat_r = {name##_uat_loop, name##_uat_combine, &uat_none, sizeof(type)};                  \
        uat_reduce_near(uat_begin, uat_end, uat_array, uat_size, &uat_r, &uat_a, sizeof(uat_a), &uat_result);          \
        return uat_result;                                                                                             \
    }                                                                                                                  \
    UAT_UNUSED static type name##_deterministic(int64_t uat_begin, int64_t uat_end, int64_t uat_block UAT_UNWRAP more) \
    {                                                                                                                  \
        return name##_uat_reduce(uat_reduce_deterministic, uat_begin, uat_end, uat_block UAT_UNWRAP pass);             \
    }                                                                                                                  \
    UAT_UNUSED static type name(int64_t uat_begin, int64_t uat_end UAT_UNWRAP more)                                    \
    {                                                                                                                  \
        return name##_grain(uat_begin, uat_end, 0 UAT_UNWRAP pass);                                                    \
    }

#define UAT_LOOP_ARGS(name, members)                                                                                   \
    struct name##_uat_args {                                                                                           \
        UAT_UNWRAP members                                                                                             \
    };                                                                                                                 \
    UAT_STATIC_ASSERT(__alignof__(struct name##_uat_args) <= 64,                                                       \
                      "UAT_FOR, UAT_REDUCE: a parameter is aligned to at most 64 bytes");

#endif
