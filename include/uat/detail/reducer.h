/* SPDX-License-Identifier: MIT */
/* The bodies of uat/reducer.h. */
#ifndef UAT_DETAIL_REDUCER_H
#define UAT_DETAIL_REDUCER_H

#include "../reducer.h" /* needed if a program includes this header first */

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the bodies are C; gcc never warns inside extern "C" */
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
extern "C" {
#endif

/* A cache of the running strand's views, by the keys of their reducers. It belongs to the process. */
#define UAT_VIEW_SLOTS 16
#pragma GCC visibility push(default)
extern struct uat_view_slot {
    const void *key; /* NULL: none */
    void *view;
} uat_view_slots[UAT_VIEW_SLOTS];

/* uat_reducer_view() for the case that the slot does not have this reducer's view. */
void *uat_reducer_find(const uat_reducer_t *reducer);
#pragma GCC visibility pop

UAT_INLINE struct uat_view_slot *uat_view_slot_of(const void *key)
{
    return &uat_view_slots[(uintptr_t)key / sizeof(uat_reducer_t) % UAT_VIEW_SLOTS];
}

UAT_INLINE void *uat_reducer_view(const uat_reducer_t *reducer)
{
#ifdef UAT_RACES
    void *view = uat_reducer_find(reducer);
    uat_races_view(view, reducer->operations->size);
    return view;
#else
    const struct uat_view_slot *slot = uat_view_slot_of(reducer->key);
    if (__builtin_expect(slot->key == reducer->key, 1))
        return slot->view;
    return uat_reducer_find(reducer);
#endif
}

/*
 * For the library's loops. A loop puts the running strand's views aside if another half of the loop must come first in
 * serial order. uat_views_size() returns the number of bytes that the views take, a multiple of 16.
 * uat_views_put_aside() moves the views to `flat`; afterwards the strand has no views. `flat` must be aligned to 16
 * bytes. uat_views_add() combines the strand's views (the left operands) with the views in `flat` (the right operands).
 */
#pragma GCC visibility push(hidden)
size_t uat_views_size(void);
void uat_views_put_aside(void *flat);
void uat_views_add(const void *flat, size_t size);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#define UAT_REDUCER(type, name, identity, combine)                                                                     \
    UAT_STATIC_ASSERT(!UAT_IS_ARRAY(type), "UAT_REDUCER: a value cannot be an array; use a struct that holds it");     \
    UAT_STATIC_ASSERT(__alignof__(type) <= 16, "UAT_REDUCER: a value is aligned to at most 16 bytes");                 \
    static void name##_uat_combine(void *uat_left, const void *uat_right, const void *uat_arg)                         \
    {                                                                                                                  \
        (void)uat_arg;                                                                                                 \
        *UAT_CAST(type *, uat_left) = combine(*UAT_CAST(type *, uat_left), *UAT_CAST(const type *, uat_right));        \
    }                                                                                                                  \
    static const type name##_uat_identity = identity;                                                                  \
    static const uat_reduction_t name##_uat_operations = {NULL, name##_uat_combine, &name##_uat_identity,              \
                                                          sizeof(type)};                                               \
    static const uat_reducer_t name = {&name, &name##_uat_operations};                                                 \
    UAT_UNUSED static inline type *name##_view(void)                                                                   \
    {                                                                                                                  \
        return UAT_CAST(type *, uat_reducer_view(&name));                                                              \
    }                                                                                                                  \
    UAT_UNUSED static type name##_take(void)                                                                           \
    {                                                                                                                  \
        type uat_value = name##_uat_identity, uat_again = name##_uat_identity;                                         \
        UAT_CHECK_IDENTITY(type, name, uat_value, uat_again, combine);                                                 \
        uat_reducer_take(&name, &uat_value);                                                                           \
        return uat_value;                                                                                              \
    }

#endif
