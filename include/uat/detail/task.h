/* SPDX-License-Identifier: MIT */
/* The expansions of UAT_TASK and its relatives. Included by uat.h. */
#ifndef UAT_DETAIL_TASK_H
#define UAT_DETAIL_TASK_H

#include <stddef.h>

/* The macros below only expand lists: the name, and the pairs of types and names. */
#define UAT_DECLARE_good(type, name, ...)                                                                              \
    UAT_CHECKS(name, __VA_ARGS__)                                                                                      \
    UAT_DECLARE(type, name, (UAT_PARAMS(__VA_ARGS__)), (, UAT_PARAMS(__VA_ARGS__)), (UAT_MEMBERS(__VA_ARGS__)),        \
                (UAT_NAMES(__VA_ARGS__)), (UAT_FIELDS(uat_a, __VA_ARGS__)))

#define UAT_DECLARE_none(type, name) UAT_DECLARE(type, name, (void), (), (long uat_none;), (0), ())

#define UAT_DECLARE_pair(type, name, ...) UAT_REFUSE_PAIR

#define UAT_DECLARE_many(type, name, ...) UAT_REFUSE_MANY

#define UAT_VOID_DECLARE_good(name, ...)                                                                               \
    UAT_CHECKS(name, __VA_ARGS__)                                                                                      \
    UAT_VOID_DECLARE(name, (UAT_PARAMS(__VA_ARGS__)), (, UAT_PARAMS(__VA_ARGS__)), (UAT_MEMBERS(__VA_ARGS__)),         \
                     (UAT_NAMES(__VA_ARGS__)), (UAT_FIELDS(uat_a, __VA_ARGS__)))

#define UAT_VOID_DECLARE_none(name) UAT_VOID_DECLARE(name, (void), (), (long uat_none;), (0), ())

#define UAT_VOID_DECLARE_pair(name, ...) UAT_REFUSE_PAIR

#define UAT_VOID_DECLARE_many(name, ...) UAT_REFUSE_MANY

#define UAT_REFUSE_PAIR                                                                                                \
    UAT_STATIC_ASSERT(0, "UAT_TASK takes pairs of a type and a name; a type with a comma in it needs a typedef");

#define UAT_REFUSE_MANY UAT_STATIC_ASSERT(0, "UAT_TASK takes at most eight parameters; pass more of them in a struct");

#define UAT_DECLARE(type, name, params, more, members, names, fields)                                                  \
    UAT_STATIC_ASSERT(!UAT_IS_ARRAY(type), "UAT_TASK: a result cannot be an array; return a struct that holds it");    \
    UAT_STATIC_ASSERT(__alignof__(type) <= 64, "UAT_TASK: a result is aligned to at most 64 bytes");                   \
    UAT_COMMON(type, name, params, members)                                                                            \
    typedef struct {                                                                                                   \
        uat_task_t task;                                                                                               \
        type value;                                                                                                    \
    } name##_task;                                                                                                     \
    static void name##_uat_body(void *arg, void *result)                                                               \
    {                                                                                                                  \
        UAT_ALIGNED_ARGS(struct name##_uat_args, arg)                                                                  \
        if (__alignof__(type) > 16) { /* the result buffer has less alignment than the type needs */                   \
            type uat_r = name fields;                                                                                  \
            __builtin_memcpy(result, UAT_CAST(void *, &uat_r), sizeof(type));                                          \
        } else {                                                                                                       \
            *UAT_CAST(type *, result) = name fields;                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    UAT_UNUSED UAT_ALWAYS static inline void name##_spawn(name##_task *uat_t UAT_UNWRAP more)                          \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        UAT_SPAWN_TYPED(&uat_t->task, name##_uat_body, &uat_a, sizeof(uat_a), &uat_t->value, sizeof(type));            \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_spawn_on(name##_task *uat_t, int uat_rank_ UAT_UNWRAP more)                   \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_spawn_on(&uat_t->task, uat_rank_, name##_uat_body, &uat_a, sizeof(uat_a), &uat_t->value, sizeof(type));    \
    }                                                                                                                  \
    UAT_UNUSED static inline type name##_join(name##_task *uat_t)                                                      \
    {                                                                                                                  \
        uat_join(&uat_t->task);                                                                                        \
        return uat_t->value;                                                                                           \
    }                                                                                                                  \
    static void name##_uat_alone(void *arg, void *result)                                                              \
    {                                                                                                                  \
        UAT_ALIGNED_ARGS(struct name##_uat_args, arg)                                                                  \
        (void)result;                                                                                                  \
        (void)name fields;                                                                                             \
    }                                                                                                                  \
    UAT_GROUP_SPAWN(name, name##_uat_alone, more, names)                                                               \
    UAT_UNUSED static int name##_run(type *uat_result UAT_UNWRAP more)                                                 \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        return uat_run(name##_uat_body, &uat_a, sizeof(uat_a), uat_result, sizeof(type));                              \
    }

#define UAT_VOID_DECLARE(name, params, more, members, names, fields)                                                   \
    UAT_COMMON(void, name, params, members)                                                                            \
    typedef struct {                                                                                                   \
        uat_task_t task;                                                                                               \
    } name##_task;                                                                                                     \
    static void name##_uat_body(void *arg, void *result)                                                               \
    {                                                                                                                  \
        UAT_ALIGNED_ARGS(struct name##_uat_args, arg)                                                                  \
        (void)result;                                                                                                  \
        name fields;                                                                                                   \
    }                                                                                                                  \
    UAT_UNUSED UAT_ALWAYS static inline void name##_spawn(name##_task *uat_t UAT_UNWRAP more)                          \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        UAT_SPAWN_TYPED(&uat_t->task, name##_uat_body, &uat_a, sizeof(uat_a), NULL, 0);                                \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_spawn_on(name##_task *uat_t, int uat_rank_ UAT_UNWRAP more)                   \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_spawn_on(&uat_t->task, uat_rank_, name##_uat_body, &uat_a, sizeof(uat_a), NULL, 0);                        \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_join(name##_task *uat_t)                                                      \
    {                                                                                                                  \
        uat_join(&uat_t->task);                                                                                        \
    }                                                                                                                  \
    UAT_GROUP_SPAWN(name, name##_uat_body, more, names)                                                                \
    UAT_UNUSED static int name##_run params                                                                            \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        return uat_run(name##_uat_body, &uat_a, sizeof(uat_a), NULL, 0);                                               \
    }

#define UAT_GROUP_SPAWN(name, body, more, names)                                                                       \
    UAT_UNUSED static inline void name##_group_spawn(uat_group_t *uat_g UAT_UNWRAP more)                               \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_group_spawn_typed(uat_g, body, &uat_a, sizeof(uat_a));                                                     \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_group_spawn_on(uat_group_t *uat_g, int uat_rank_ UAT_UNWRAP more)             \
    {                                                                                                                  \
        struct name##_uat_args uat_a = {UAT_UNWRAP names};                                                             \
        uat_group_spawn_on(uat_g, uat_rank_, body, &uat_a, sizeof(uat_a));                                             \
    }

#define UAT_COMMON(type, name, params, members)                                                                        \
    struct name##_uat_args {                                                                                           \
        UAT_UNWRAP members                                                                                             \
    };                                                                                                                 \
    UAT_STATIC_ASSERT(__alignof__(struct name##_uat_args) <= 64,                                                       \
                      "UAT_TASK: a parameter is aligned to at most 64 bytes");                                         \
    static type name params;

/* All sizes are constants, so the compiler keeps one of the two calls. The empty assembly keeps the first one from
 * being a tail call: uat_spawn_inline() needs a function with a call. */
#define UAT_SPAWN_TYPED(t, fn, arg, arg_size, result, result_size)                                                     \
    do {                                                                                                               \
        if ((arg_size) > UAT_SPAWN_TYPED_MAX || (result_size) > UAT_SPAWN_TYPED_MAX) {                                 \
            uat_spawn(t, fn, arg, arg_size, result, result_size);                                                      \
        } else if (!UAT_SPAWN_INLINE(t, fn, arg, result, result_size)) {                                               \
            uat_spawn_typed(t, fn, arg, arg_size, result, result_size);                                                \
            __asm__ volatile("");                                                                                      \
        }                                                                                                              \
    } while (0)

/*
 * The child's own copy of the arguments is only aligned to 16 bytes. uat_a points to a copy with the alignment that the
 * arguments need.
 */
#define UAT_ALIGNED_ARGS(args, arg)                                                                                    \
    __attribute__((aligned(__alignof__(args)))) char uat_room[__alignof__(args) > 16 ? sizeof(args) : 1];              \
    const args *uat_a = UAT_CAST(const args *, arg);                                                                   \
    if (__alignof__(args) > 16)                                                                                        \
        uat_a = UAT_CAST(const args *, __builtin_memcpy(uat_room, arg, sizeof(args)));                                 \
    (void)uat_a;                                                                                                       \
    (void)uat_room;

#ifdef __cplusplus
template <class T> struct uat_is_array {
    enum { value = 0 };
};
template <class T, size_t n> struct uat_is_array<T[n]> {
    enum { value = 1 };
};
#define UAT_IS_ARRAY(T)        uat_is_array<T>::value
#define UAT_STATIC_ASSERT(...) static_assert(__VA_ARGS__)
#else
/* An array is the only type that changes when it is used as a value. */
#define UAT_IS_ARRAY(T)        (!__builtin_types_compatible_p(__typeof__(T), __typeof__((void)0, *(__typeof__(T) *)0)))
#define UAT_STATIC_ASSERT(...) _Static_assert(__VA_ARGS__)
#endif

/* The form of the list after the name: none, good (pairs), pair (half of a pair is missing) or many. */
#define UAT_FORM(...)                                                                                                  \
    UAT_PICK(__VA_ARGS__, many, many, many, many, many, many, many, many, many, many, many, many, many, many, many,    \
             many, many, many, many, many, many, many, many, good, pair, good, pair, good, pair, good, pair, good,     \
             pair, good, pair, good, pair, good, pair, none, )
#define UAT_PICK(...) UAT_PICK_(__VA_ARGS__)
#define UAT_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, \
                  a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, count,     \
                  ...)                                                                                                 \
    count
#define UAT_CHECKS(task, ...)         UAT_CAT(UAT_CHECKS_, UAT_COUNT(__VA_ARGS__))(task, __VA_ARGS__)
#define UAT_CHECKS_1(task, T, a)      UAT_CHECK(task##_uat_1, T, a)
#define UAT_CHECKS_2(task, T, a, ...) UAT_CHECK(task##_uat_2, T, a) UAT_CHECKS_1(task, __VA_ARGS__)
#define UAT_CHECKS_3(task, T, a, ...) UAT_CHECK(task##_uat_3, T, a) UAT_CHECKS_2(task, __VA_ARGS__)
#define UAT_CHECKS_4(task, T, a, ...) UAT_CHECK(task##_uat_4, T, a) UAT_CHECKS_3(task, __VA_ARGS__)
#define UAT_CHECKS_5(task, T, a, ...) UAT_CHECK(task##_uat_5, T, a) UAT_CHECKS_4(task, __VA_ARGS__)
#define UAT_CHECKS_6(task, T, a, ...) UAT_CHECK(task##_uat_6, T, a) UAT_CHECKS_5(task, __VA_ARGS__)
#define UAT_CHECKS_7(task, T, a, ...) UAT_CHECK(task##_uat_7, T, a) UAT_CHECKS_6(task, __VA_ARGS__)
#define UAT_CHECKS_8(task, T, a, ...) UAT_CHECK(task##_uat_8, T, a) UAT_CHECKS_7(task, __VA_ARGS__)
#define UAT_CHECK(alone, T, a)                                                                                         \
    UAT_STATIC_ASSERT(!UAT_IS_ARRAY(T), "UAT_TASK: a parameter cannot be an array; pass a struct that holds it");      \
    typedef struct {                                                                                                   \
        T a;                                                                                                           \
    } alone;                                                                                                           \
    UAT_STATIC_ASSERT(sizeof(alone) == sizeof(__typeof__(T)), "UAT_TASK: a parameter is a type and a plain name");
#define UAT_UNWRAP(...)          __VA_ARGS__
#define UAT_HEAD(...)            UAT_CAT(UAT_HEAD_, UAT_FORM(__VA_ARGS__))(__VA_ARGS__)
#define UAT_HEAD_none(name)      name(void)
#define UAT_HEAD_good(name, ...) name(UAT_PARAMS(__VA_ARGS__))
#define UAT_HEAD_pair(name, ...) name(void)
#define UAT_HEAD_many(name, ...) name(void)

#define UAT_UNUSED                                                             __attribute__((unused))
#define UAT_ALWAYS                                                             __attribute__((always_inline))
#define UAT_CAT(a, b)                                                          UAT_CAT_(a, b)
#define UAT_CAT_(a, b)                                                         a##b
#define UAT_COUNT(...)                                                         UAT_COUNT_(__VA_ARGS__, 8, odd, 7, odd, 6, odd, 5, odd, 4, odd, 3, odd, 2, odd, 1, odd, )
#define UAT_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define UAT_PARAMS(...)                                                        UAT_CAT(UAT_PARAMS_, UAT_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define UAT_PARAMS_1(T, a)                                                     T a
#define UAT_PARAMS_2(T, a, ...)                                                T a, UAT_PARAMS_1(__VA_ARGS__)
#define UAT_PARAMS_3(T, a, ...)                                                T a, UAT_PARAMS_2(__VA_ARGS__)
#define UAT_PARAMS_4(T, a, ...)                                                T a, UAT_PARAMS_3(__VA_ARGS__)
#define UAT_PARAMS_5(T, a, ...)                                                T a, UAT_PARAMS_4(__VA_ARGS__)
#define UAT_PARAMS_6(T, a, ...)                                                T a, UAT_PARAMS_5(__VA_ARGS__)
#define UAT_PARAMS_7(T, a, ...)                                                T a, UAT_PARAMS_6(__VA_ARGS__)
#define UAT_PARAMS_8(T, a, ...)                                                T a, UAT_PARAMS_7(__VA_ARGS__)
#define UAT_MEMBERS(...)                                                       UAT_CAT(UAT_MEMBERS_, UAT_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define UAT_MEMBERS_1(T, a)                                                    T a;
#define UAT_MEMBERS_2(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_1(__VA_ARGS__)
#define UAT_MEMBERS_3(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_2(__VA_ARGS__)
#define UAT_MEMBERS_4(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_3(__VA_ARGS__)
#define UAT_MEMBERS_5(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_4(__VA_ARGS__)
#define UAT_MEMBERS_6(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_5(__VA_ARGS__)
#define UAT_MEMBERS_7(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_6(__VA_ARGS__)
#define UAT_MEMBERS_8(T, a, ...)                                                                                       \
    T a;                                                                                                               \
    UAT_MEMBERS_7(__VA_ARGS__)
#define UAT_NAMES(...)             UAT_CAT(UAT_NAMES_, UAT_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define UAT_NAMES_1(T, a)          a
#define UAT_NAMES_2(T, a, ...)     a, UAT_NAMES_1(__VA_ARGS__)
#define UAT_NAMES_3(T, a, ...)     a, UAT_NAMES_2(__VA_ARGS__)
#define UAT_NAMES_4(T, a, ...)     a, UAT_NAMES_3(__VA_ARGS__)
#define UAT_NAMES_5(T, a, ...)     a, UAT_NAMES_4(__VA_ARGS__)
#define UAT_NAMES_6(T, a, ...)     a, UAT_NAMES_5(__VA_ARGS__)
#define UAT_NAMES_7(T, a, ...)     a, UAT_NAMES_6(__VA_ARGS__)
#define UAT_NAMES_8(T, a, ...)     a, UAT_NAMES_7(__VA_ARGS__)
#define UAT_FIELDS(p, ...)         UAT_CAT(UAT_FIELDS_, UAT_COUNT(__VA_ARGS__))(p, __VA_ARGS__)
#define UAT_FIELDS_1(p, T, a)      p->a
#define UAT_FIELDS_2(p, T, a, ...) p->a, UAT_FIELDS_1(p, __VA_ARGS__)
#define UAT_FIELDS_3(p, T, a, ...) p->a, UAT_FIELDS_2(p, __VA_ARGS__)
#define UAT_FIELDS_4(p, T, a, ...) p->a, UAT_FIELDS_3(p, __VA_ARGS__)
#define UAT_FIELDS_5(p, T, a, ...) p->a, UAT_FIELDS_4(p, __VA_ARGS__)
#define UAT_FIELDS_6(p, T, a, ...) p->a, UAT_FIELDS_5(p, __VA_ARGS__)
#define UAT_FIELDS_7(p, T, a, ...) p->a, UAT_FIELDS_6(p, __VA_ARGS__)
#define UAT_FIELDS_8(p, T, a, ...) p->a, UAT_FIELDS_7(p, __VA_ARGS__)

#endif
