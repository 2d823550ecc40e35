/* SPDX-License-Identifier: MIT */
/* Futures of one type. Included by uat/sync.h, which describes them. */
#ifndef UAT_DETAIL_SYNC_H
#define UAT_DETAIL_SYNC_H

#include "../sync.h" /* needed if a program includes this header first */

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
