/* SPDX-License-Identifier: MIT */
/* Replacements of functions that may move the running task to another worker. */
#ifndef UAT_PROFILE_REPLACE_H
#define UAT_PROFILE_REPLACE_H

#include "profile/clock.h"
#include "profile/profile.h"

/* Define the replacement of a function: `before` runs before the call, `after` afterwards, with its result in r. */
#define REPLACE(type, name, params, call, before, after)                                                               \
    type __real_##name params;                                                                                         \
    type __wrap_##name params;                                                                                         \
    type __wrap_##name params                                                                                          \
    {                                                                                                                  \
        struct uat_strand *me = uat_profile_stop(UAT_HERE());                                                          \
        before;                                                                                                        \
        struct uat_wait w = uat_wait_begin(me);                                                                        \
        type r = __real_##name call;                                                                                   \
        uat_wait_end(&w, me);                                                                                          \
        after;                                                                                                         \
        uat_profile_start(me, UAT_HERE());                                                                             \
        return r;                                                                                                      \
    }
#define REPLACE_VOID(name, params, call, before, after)                                                                \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        struct uat_strand *me = uat_profile_stop(UAT_HERE());                                                          \
        before;                                                                                                        \
        struct uat_wait w = uat_wait_begin(me);                                                                        \
        __real_##name call;                                                                                            \
        uat_wait_end(&w, me);                                                                                          \
        after;                                                                                                         \
        uat_profile_start(me, UAT_HERE());                                                                             \
    }
#define NOTHING ((void)0)

#endif
