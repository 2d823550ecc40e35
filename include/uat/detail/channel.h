/* SPDX-License-Identifier: MIT */
/* Channels of one type. Included by uat/channel.h, which describes them. */
#ifndef UAT_DETAIL_CHANNEL_H
#define UAT_DETAIL_CHANNEL_H

#include "../channel.h" /* needed if a program includes this header first */

#define UAT_CHANNEL(type, name)                                                                                        \
    typedef struct {                                                                                                   \
        uat_channel_t channel;                                                                                         \
    } name##_channel;                                                                                                  \
    UAT_UNUSED static inline name##_channel name##_create(size_t uat_capacity)                                         \
    {                                                                                                                  \
        name##_channel uat_c;                                                                                          \
        uat_c.channel = uat_channel_create(sizeof(type), uat_capacity);                                                \
        return uat_c;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline name##_channel name##_named(const char *uat_name, size_t uat_capacity)                    \
    {                                                                                                                  \
        name##_channel uat_c;                                                                                          \
        uat_c.channel = uat_channel_named(uat_name, sizeof(type), uat_capacity);                                       \
        return uat_c;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_send(name##_channel uat_c, type uat_value)                                     \
    {                                                                                                                  \
        return uat_channel_send(uat_c.channel, &uat_value);                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_send(name##_channel uat_c, type uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_try_send(uat_c.channel, &uat_value);                                                        \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_receive(name##_channel uat_c, type *uat_value)                                 \
    {                                                                                                                  \
        return uat_channel_receive(uat_c.channel, uat_value);                                                          \
    }                                                                                                                  \
    UAT_UNUSED static inline int name##_try_receive(name##_channel uat_c, type *uat_value)                             \
    {                                                                                                                  \
        return uat_channel_try_receive(uat_c.channel, uat_value);                                                      \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_close(name##_channel uat_c)                                                   \
    {                                                                                                                  \
        uat_channel_close(uat_c.channel);                                                                              \
    }                                                                                                                  \
    UAT_UNUSED static inline void name##_destroy(name##_channel uat_c)                                                 \
    {                                                                                                                  \
        uat_channel_destroy(uat_c.channel);                                                                            \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_sends(name##_channel uat_c, type *uat_value)                            \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 1, UAT_CAST(void *, uat_value), 0};                                         \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    UAT_UNUSED static inline uat_case_t name##_receives(name##_channel uat_c, type *uat_value)                         \
    {                                                                                                                  \
        uat_case_t uat_k = {uat_c.channel, 0, UAT_CAST(void *, uat_value), 0};                                         \
        return uat_k;                                                                                                  \
    }                                                                                                                  \
    typedef name##_channel name##_uat_channel_is_defined

#endif
