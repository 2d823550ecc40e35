/* SPDX-License-Identifier: MIT */
/* The inline functions of uat/dataflow.h and the expansion of UAT_FLOW_TASK. Included by uat/dataflow.h. */
#ifndef UAT_DETAIL_DATAFLOW_H
#define UAT_DETAIL_DATAFLOW_H

#include "../dataflow.h" /* needed if a program includes this header first */

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Wait for all tasks of a flow that has a ledger. */
void uat_flow_end_ledger(uat_flow_t *flow) __attribute__((cold));
/* uat_flow_wait_datum() in a flow that has a ledger. */
void uat_flow_wait_ledger(uat_flow_t *flow, const void *p, enum uat_flow_mode mode) __attribute__((cold));
/* Spawn into a flow that has a ledger. body: a task function. */
void uat_flow_enter(uat_flow_t *flow, uat_fn *body, const void *arg, size_t size, const uat_flow_access_t *access,
                    size_t n) __attribute__((cold));
/* Add the child that was just spawned to the ledger. The child has parted from the unroller. */
void uat_flow_parted(uat_flow_t *flow, const uat_flow_access_t *access, size_t n) __attribute__((cold));

UAT_INLINE void uat_flow_end(uat_flow_t *flow)
{
#ifdef UAT_RACES
    uat_races_flow_end(flow);
#else
    if (__builtin_expect(flow->ledger != 0, 0))
        uat_flow_end_ledger(flow);
    flow->self = NULL;
#endif
}

UAT_INLINE void uat_flow_wait_datum(uat_flow_t *flow, const void *p, enum uat_flow_mode mode)
{
#ifdef UAT_RACES
    uat_races_flow_wait(flow, p, (int)mode);
#else
    if (__builtin_expect(flow->ledger != 0, 0))
        uat_flow_wait_ledger(flow, p, mode);
#endif
}

/* For UAT_FLOW_ADD in a task that does not run in place. uat_flow_add_begin() excludes other tasks that add to the
 * datum, and checks the datum out. uat_flow_add_end() undoes both. guard: the value that the library has put into the
 * arguments; 0: the task runs in place, and its body gets the datum. */
void *uat_flow_add_begin(void *p, size_t bytes, uint64_t guard);
void uat_flow_add_end(void *p, size_t bytes, uint64_t guard);

/* Returns the body's parameter: the datum, checked out; or `room`, after setting its bytes to 0. */
UAT_INLINE void *uat_flow_add_place(void *p, uint64_t guard, void *room, size_t bytes)
{
    return guard ? __builtin_memset(room, 0, bytes) : uat_global_checkout(p, bytes, UAT_READ_WRITE);
}

/* Begin to fetch a datum that is not near. */
UAT_INLINE void uat_flow_fetch(const void *p, size_t bytes)
{
    if (!uat_near_holds((uintptr_t)p, bytes))
        uat_global_prefetch(p, bytes);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#define UAT_FLOW_COUNT(...)                                                                                            \
    UAT_FLOW_COUNT_(__VA_ARGS__, 8, odd, odd, 7, odd, odd, 6, odd, odd, 5, odd, odd, 4, odd, odd, 3, odd, odd, 2, odd, \
                    odd, 1, odd, odd, )
#define UAT_FLOW_COUNT_(a1, b1, c1, a2, b2, c2, a3, b3, c3, a4, b4, c4, a5, b5, c5, a6, b6, c6, a7, b7, c7, a8, b8,    \
                        c8, count, ...)                                                                                \
    count

#define UAT_FLOW_DECLARE_odd(name, ...)                                                                                \
    UAT_STATIC_ASSERT(0, "UAT_FLOW_TASK takes 1 to 8 triples of a mode, a type and a name");                           \
    static void name(void)

#define UAT_FLOW_DECLARE_1(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_1, __VA_ARGS__)
#define UAT_FLOW_DECLARE_2(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_2, __VA_ARGS__)
#define UAT_FLOW_DECLARE_3(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_3, __VA_ARGS__)
#define UAT_FLOW_DECLARE_4(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_4, __VA_ARGS__)
#define UAT_FLOW_DECLARE_5(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_5, __VA_ARGS__)
#define UAT_FLOW_DECLARE_6(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_6, __VA_ARGS__)
#define UAT_FLOW_DECLARE_7(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_7, __VA_ARGS__)
#define UAT_FLOW_DECLARE_8(...) UAT_FLOW_DECLARE(UAT_FLOW_EACH_8, __VA_ARGS__)

#ifdef UAT_RACES /* every spawn builds them, and a report shows the caller's line */
#define UAT_FLOW_SLOW inline __attribute__((always_inline))
#else
#define UAT_FLOW_SLOW __attribute__((cold, noinline))
#endif

/* each(prefix, separator, triples) expands to prefix_mode(type, name) for each triple, with a separator between two of
 * them. */
#define UAT_FLOW_DECLARE(each, name, ...)                                                                              \
    struct name##_uat_args {                                                                                           \
        each(UAT_FLOW_MEMBER_, UAT_FLOW_NOTHING, __VA_ARGS__) char uat_none; /* if all are scratch */                  \
    };                                                                                                                 \
    UAT_STATIC_ASSERT(sizeof(struct name##_uat_args) <= UAT_SPAWN_TYPED_MAX,                                           \
                      "UAT_FLOW_TASK: the values are too large; put them into global memory");                         \
    UAT_STATIC_ASSERT(__alignof__(struct name##_uat_args) <= 16, "UAT_FLOW_TASK: a value is aligned to 16 bytes");     \
    static void name(each(UAT_FLOW_PARAM_, UAT_FLOW_COMMA, __VA_ARGS__));                                              \
    static void name##_uat_body(void *arg, void *result)                                                               \
    {                                                                                                                  \
        struct name##_uat_args uat_a = *(struct name##_uat_args *)arg; /* the task's own copy */                       \
        (void)result;                                                                                                  \
        (void)uat_a;                                                                                                   \
        each(UAT_FLOW_FETCH_, UAT_FLOW_NOTHING, __VA_ARGS__) each(UAT_FLOW_OPEN_, UAT_FLOW_NOTHING, __VA_ARGS__)       \
            name(each(UAT_FLOW_PLACE_, UAT_FLOW_COMMA, __VA_ARGS__));                                                  \
        each(UAT_FLOW_CLOSE_, UAT_FLOW_NOTHING, __VA_ARGS__) each(UAT_FLOW_SUM_, UAT_FLOW_NOTHING, __VA_ARGS__)        \
    }                                                                                                                  \
    /* Builds the accesses. Not inline, because most spawns do not need them. */                                       \
    UAT_UNUSED UAT_FLOW_SLOW static void name##_uat_slow(uat_flow_t *uat_f, const struct name##_uat_args *uat_a,       \
                                                         int uat_parted)                                               \
    {                                                                                                                  \
        uat_flow_access_t uat_x[UAT_FLOW_ACCESSES];                                                                    \
        size_t uat_n = 0;                                                                                              \
        uat_x[0].mode = (enum uat_flow_mode)0; /* for the compiler: there may be no access */                          \
        each(UAT_FLOW_ACCESS_, UAT_FLOW_NOTHING, __VA_ARGS__) if (uat_parted) uat_flow_parted(uat_f, uat_x, uat_n);    \
        else uat_flow_enter(uat_f, name##_uat_body, uat_a, sizeof(*uat_a), uat_x, uat_n);                              \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_flow(uat_flow_t *uat_f each(UAT_FLOW_MORE_, UAT_FLOW_NOTHING, __VA_ARGS__))   \
    {                                                                                                                  \
        struct name##_uat_args uat_a;                                                                                  \
        each(UAT_FLOW_SET_, UAT_FLOW_NOTHING, __VA_ARGS__) uat_a.uat_none = 0;                                         \
        if (UAT_RACES_WATCHED || __builtin_expect(uat_f->ledger != 0, 0)) {                                            \
            name##_uat_slow(uat_f, &uat_a, 0);                                                                         \
            return;                                                                                                    \
        }                                                                                                              \
        UAT_FLOW_SPAWN(uat_spawn_typed, uat_f, name##_uat_body, &uat_a, sizeof(uat_a));                                \
        if (__builtin_expect(uat_f->task.record != 0, 0)) /* the child has parted from the spawner */                  \
            name##_uat_slow(uat_f, &uat_a, 1);                                                                         \
    }                                                                                                                  \
    static void name(each(UAT_FLOW_PARAM_, UAT_FLOW_COMMA, __VA_ARGS__))

#define UAT_FLOW_NOTHING()
#define UAT_FLOW_COMMA()                      ,
#define UAT_FLOW_EACH_1(x, sep, m, T, a)      x##m(T, a)
#define UAT_FLOW_EACH_2(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_1(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_3(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_2(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_4(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_3(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_5(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_4(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_6(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_5(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_7(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_6(x, sep, __VA_ARGS__)
#define UAT_FLOW_EACH_8(x, sep, m, T, a, ...) x##m(T, a) sep() UAT_FLOW_EACH_7(x, sep, __VA_ARGS__)

/* The member for an access in the struct of arguments. */
#define UAT_FLOW_MEMBER_in(T, a)          const T *a;
#define UAT_FLOW_MEMBER_in_below(T, a)    const T *a;
#define UAT_FLOW_MEMBER_out(T, a)         T *a;
#define UAT_FLOW_MEMBER_out_below(T, a)   T *a;
#define UAT_FLOW_MEMBER_inout(T, a)       T *a;
#define UAT_FLOW_MEMBER_inout_below(T, a) T *a;
#define UAT_FLOW_MEMBER_any(T, a)         T *a;
#define UAT_FLOW_MEMBER_any_below(T, a)   T *a;
#define UAT_FLOW_MEMBER_add(T, a)                                                                                      \
    T *a;                                                                                                              \
    uint64_t uat_g_##a; /* the guard */
#define UAT_FLOW_MEMBER_value(T, a) T a;
#define UAT_FLOW_MEMBER_scratch(T, a)

/* A parameter of the body. */
#define UAT_FLOW_PARAM_in(T, a)          const T *a
#define UAT_FLOW_PARAM_in_below(T, a)    const T *a
#define UAT_FLOW_PARAM_out(T, a)         T *a
#define UAT_FLOW_PARAM_out_below(T, a)   T *a
#define UAT_FLOW_PARAM_inout(T, a)       T *a
#define UAT_FLOW_PARAM_inout_below(T, a) T *a
#define UAT_FLOW_PARAM_any(T, a)         T *a
#define UAT_FLOW_PARAM_any_below(T, a)   T *a
#define UAT_FLOW_PARAM_add(T, a)         T *a
#define UAT_FLOW_PARAM_value(T, a)       T a
#define UAT_FLOW_PARAM_scratch(T, a)     T *a

/* A parameter of name_flow(). */
#define UAT_FLOW_MORE_in(T, a)          , const T *a
#define UAT_FLOW_MORE_in_below(T, a)    , const T *a
#define UAT_FLOW_MORE_out(T, a)         , T *a
#define UAT_FLOW_MORE_out_below(T, a)   , T *a
#define UAT_FLOW_MORE_inout(T, a)       , T *a
#define UAT_FLOW_MORE_inout_below(T, a) , T *a
#define UAT_FLOW_MORE_any(T, a)         , T *a
#define UAT_FLOW_MORE_any_below(T, a)   , T *a
#define UAT_FLOW_MORE_add(T, a)         , T *a
#define UAT_FLOW_MORE_value(T, a)       , T a
#define UAT_FLOW_MORE_scratch(T, a)

/* Set the member to the argument of name_flow(). */
#define UAT_FLOW_SET_in(T, a)          uat_a.a = a;
#define UAT_FLOW_SET_in_below(T, a)    uat_a.a = a;
#define UAT_FLOW_SET_out(T, a)         uat_a.a = a;
#define UAT_FLOW_SET_out_below(T, a)   uat_a.a = a;
#define UAT_FLOW_SET_inout(T, a)       uat_a.a = a;
#define UAT_FLOW_SET_inout_below(T, a) uat_a.a = a;
#define UAT_FLOW_SET_any(T, a)         uat_a.a = a;
#define UAT_FLOW_SET_any_below(T, a)   uat_a.a = a;
#define UAT_FLOW_SET_add(T, a)                                                                                         \
    uat_a.a = a;                                                                                                       \
    uat_a.uat_g_##a = 0;
#define UAT_FLOW_SET_value(T, a) uat_a.a = a;
#define UAT_FLOW_SET_scratch(T, a)

/* Begin to fetch the datum. */
#define UAT_FLOW_FETCH_in(T, a) uat_flow_fetch(uat_a.a, sizeof(T));
#define UAT_FLOW_FETCH_in_below(T, a)
#define UAT_FLOW_FETCH_out(T, a)
#define UAT_FLOW_FETCH_out_below(T, a)
#define UAT_FLOW_FETCH_inout(T, a) uat_flow_fetch(uat_a.a, sizeof(T));
#define UAT_FLOW_FETCH_inout_below(T, a)
#define UAT_FLOW_FETCH_any(T, a) uat_flow_fetch(uat_a.a, sizeof(T));
#define UAT_FLOW_FETCH_any_below(T, a)
#define UAT_FLOW_FETCH_add(T, a)
#define UAT_FLOW_FETCH_value(T, a)
#define UAT_FLOW_FETCH_scratch(T, a)

/* Check the datum out. */
#define UAT_FLOW_OPEN_in(T, a) T *uat_p_##a = (T *)uat_global_checkout(uat_a.a, sizeof(T), UAT_READ);
#define UAT_FLOW_OPEN_in_below(T, a)
#define UAT_FLOW_OPEN_out(T, a) T *uat_p_##a = (T *)uat_global_checkout(uat_a.a, sizeof(T), UAT_WRITE);
#define UAT_FLOW_OPEN_out_below(T, a)
#define UAT_FLOW_OPEN_inout(T, a) T *uat_p_##a = (T *)uat_global_checkout(uat_a.a, sizeof(T), UAT_READ_WRITE);
#define UAT_FLOW_OPEN_inout_below(T, a)
#define UAT_FLOW_OPEN_any(T, a) T *uat_p_##a = (T *)uat_global_checkout(uat_a.a, sizeof(T), UAT_READ_WRITE);
#define UAT_FLOW_OPEN_any_below(T, a)
#define UAT_FLOW_OPEN_add(T, a)                                                                                        \
    T uat_z_##a, *uat_p_##a = (T *)uat_flow_add_place(uat_a.a, uat_a.uat_g_##a, &uat_z_##a, sizeof(T));
#define UAT_FLOW_OPEN_value(T, a)
#define UAT_FLOW_OPEN_scratch(T, a) T uat_p_##a;

/* The argument that the body gets. */
#define UAT_FLOW_PLACE_in(T, a)          uat_p_##a
#define UAT_FLOW_PLACE_in_below(T, a)    uat_a.a
#define UAT_FLOW_PLACE_out(T, a)         uat_p_##a
#define UAT_FLOW_PLACE_out_below(T, a)   uat_a.a
#define UAT_FLOW_PLACE_inout(T, a)       uat_p_##a
#define UAT_FLOW_PLACE_inout_below(T, a) uat_a.a
#define UAT_FLOW_PLACE_any(T, a)         uat_p_##a
#define UAT_FLOW_PLACE_any_below(T, a)   uat_a.a
#define UAT_FLOW_PLACE_add(T, a)         uat_p_##a
#define UAT_FLOW_PLACE_value(T, a)       uat_a.a
#define UAT_FLOW_PLACE_scratch(T, a)     &uat_p_##a

/* Check the datum in. */
#define UAT_FLOW_CLOSE_in(T, a) uat_global_checkin(uat_a.a, sizeof(T), UAT_READ);
#define UAT_FLOW_CLOSE_in_below(T, a)
#define UAT_FLOW_CLOSE_out(T, a) uat_global_checkin(uat_a.a, sizeof(T), UAT_WRITE);
#define UAT_FLOW_CLOSE_out_below(T, a)
#define UAT_FLOW_CLOSE_inout(T, a) uat_global_checkin(uat_a.a, sizeof(T), UAT_READ_WRITE);
#define UAT_FLOW_CLOSE_inout_below(T, a)
#define UAT_FLOW_CLOSE_any(T, a) uat_global_checkin(uat_a.a, sizeof(T), UAT_READ_WRITE);
#define UAT_FLOW_CLOSE_any_below(T, a)
#define UAT_FLOW_CLOSE_add(T, a)                                                                                       \
    if (!uat_a.uat_g_##a)                                                                                              \
        uat_global_checkin(uat_a.a, sizeof(T), UAT_READ_WRITE);
#define UAT_FLOW_CLOSE_value(T, a)
#define UAT_FLOW_CLOSE_scratch(T, a)

/* Add the content of the body's room to the datum. No range is checked out any more, so the task may wait. */
#define UAT_FLOW_SUM_in(T, a)
#define UAT_FLOW_SUM_in_below(T, a)
#define UAT_FLOW_SUM_out(T, a)
#define UAT_FLOW_SUM_out_below(T, a)
#define UAT_FLOW_SUM_inout(T, a)
#define UAT_FLOW_SUM_inout_below(T, a)
#define UAT_FLOW_SUM_any(T, a)
#define UAT_FLOW_SUM_any_below(T, a)
#define UAT_FLOW_SUM_value(T, a)
#define UAT_FLOW_SUM_scratch(T, a)
#define UAT_FLOW_SUM_add(T, a)                                                                                         \
    if (uat_a.uat_g_##a) {                                                                                             \
        T##_add((T *)uat_flow_add_begin(uat_a.a, sizeof(T), uat_a.uat_g_##a), &uat_z_##a);                             \
        uat_flow_add_end(uat_a.a, sizeof(T), uat_a.uat_g_##a);                                                         \
    }

/* Append the access. */
#define UAT_FLOW_ACCESS_in(T, a)          UAT_FLOW_APPEND(T, a, UAT_FLOW_IN)
#define UAT_FLOW_ACCESS_in_below(T, a)    UAT_FLOW_APPEND(T, a, UAT_FLOW_IN | UAT_FLOW_BELOW)
#define UAT_FLOW_ACCESS_out(T, a)         UAT_FLOW_APPEND(T, a, UAT_FLOW_OUT)
#define UAT_FLOW_ACCESS_out_below(T, a)   UAT_FLOW_APPEND(T, a, UAT_FLOW_OUT | UAT_FLOW_BELOW)
#define UAT_FLOW_ACCESS_inout(T, a)       UAT_FLOW_APPEND(T, a, UAT_FLOW_INOUT)
#define UAT_FLOW_ACCESS_inout_below(T, a) UAT_FLOW_APPEND(T, a, UAT_FLOW_INOUT | UAT_FLOW_BELOW)
#define UAT_FLOW_ACCESS_any(T, a)         UAT_FLOW_APPEND(T, a, UAT_FLOW_ANY)
#define UAT_FLOW_ACCESS_any_below(T, a)   UAT_FLOW_APPEND(T, a, UAT_FLOW_ANY | UAT_FLOW_BELOW)
#define UAT_FLOW_ACCESS_add(T, a)                                                                                      \
    UAT_FLOW_APPEND(T, a, UAT_FLOW_ADD)                                                                                \
    uat_x[uat_n - 1].pitch = (size_t)((const char *)&uat_a->uat_g_##a - (const char *)uat_a);
#define UAT_FLOW_ACCESS_value(T, a)
#define UAT_FLOW_ACCESS_scratch(T, a)

#define UAT_FLOW_APPEND(T, a, m)                                                                                       \
    uat_x[uat_n].p = (void *)(uintptr_t)uat_a->a;                                                                      \
    uat_x[uat_n].mode = (enum uat_flow_mode)(m);                                                                       \
    uat_x[uat_n].rows = 1;                                                                                             \
    uat_x[uat_n].bytes = sizeof(T);                                                                                    \
    uat_x[uat_n].add = NULL;                                                                                           \
    uat_x[uat_n++].pitch = 0;

#endif
