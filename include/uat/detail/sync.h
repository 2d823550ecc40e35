/* SPDX-License-Identifier: MIT */
/* Futures of one type, and the check of handles by inline functions. Included by uat/sync.h. */
#ifndef UAT_DETAIL_SYNC_H
#define UAT_DETAIL_SYNC_H

#include "../sync.h" /* needed if a program includes this header first */

#ifdef __cplusplus
extern "C" {
#endif
/* End the job: the handle that the inline function `function` got is 0. */
__attribute__((visibility("default"), cold, noreturn)) void uat_object_refuse(const char *function);
#ifdef __cplusplus
}
#endif

/* In an inline function: without this check, the line would name a function that the program has not called. */
#define UAT_DETAIL_CREATED(object)                                                                                     \
    if (__builtin_expect((object) == 0, 0))                                                                            \
    uat_object_refuse(__func__)

#define UAT_FUTURE(type, name)                                                                                         \
    typedef struct {                                                                                                   \
        uat_future_t future;                                                                                           \
    } name##_future;                                                                                                   \
    UAT_UNUSED static inline name##_future name##_create(void)                                                         \
    {                                                                                                                  \
        name##_future uat_f;                                                                                           \
        uat_f.future = uat_future_create(sizeof(type));                                                                \
        return uat_f;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_set(name##_future uat_f, type uat_value)                                      \
    {                                                                                                                  \
        uat_future_set(uat_f.future, &uat_value);                                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline type name##_get(name##_future uat_f)                                                      \
    {                                                                                                                  \
        type uat_value;                                                                                                \
        uat_future_get(uat_f.future, &uat_value);                                                                      \
        return uat_value;                                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_get(name##_future uat_f, type *uat_value)                                  \
    {                                                                                                                  \
        return uat_future_try_get(uat_f.future, uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_future uat_f)                                                  \
    {                                                                                                                  \
        uat_future_destroy(uat_f.future);                                                                              \
    }                                                                                                                  \
    typedef name##_future name##_uat_future_is_defined

#endif
