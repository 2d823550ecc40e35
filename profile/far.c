/* SPDX-License-Identifier: MIT */
/* Calls that reach for memory that is not near: their number, bytes and time, of each kind of task. The time also
 * counts as work, because it delays the task. */
#include "profile/profile.h"

#include "include/uat/global.h"

#define FAR(type, name, params, call, bytes)                                                                           \
    type __real_##name params;                                                                                         \
    type __wrap_##name params;                                                                                         \
    type __wrap_##name params                                                                                          \
    {                                                                                                                  \
        double begin = uat_profile_clock();                                                                            \
        type r = __real_##name call;                                                                                   \
        count(bytes, begin);                                                                                           \
        return r;                                                                                                      \
    }
#define FAR_VOID(name, params, call, bytes)                                                                            \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        double begin = uat_profile_clock();                                                                            \
        __real_##name call;                                                                                            \
        count(bytes, begin);                                                                                           \
    }

static void count(size_t bytes, double begin)
{
    if (!uat_strand_now)
        return;
    struct uat_name *row = uat_name_of(uat_strand_now->name);
    row->far_calls++;
    row->far_bytes += (double)bytes;
    row->far_ns += uat_profile_clock() - begin;
}

FAR(void *, uat_global_checkout_elsewhere, (const void *p, size_t bytes, enum uat_access access), (p, bytes, access),
    access &UAT_READ ? bytes : 0)
FAR_VOID(uat_global_checkin_elsewhere, (const void *p, size_t bytes, enum uat_access access), (p, bytes, access),
         access &UAT_WRITE ? bytes : 0)
FAR_VOID(uat_global_get_elsewhere, (void *local, const void *global, size_t bytes), (local, global, bytes), bytes)
FAR_VOID(uat_global_put_elsewhere, (void *global, const void *local, size_t bytes), (global, local, bytes), bytes)
FAR(uint64_t, uat_atomic_fetch_add_elsewhere, (uat_atomic_t * word, uint64_t more), (word, more), 8)
FAR(uint64_t, uat_atomic_cmp_swap_elsewhere, (uat_atomic_t * word, uint64_t expected, uint64_t desired),
    (word, expected, desired), 8)
FAR(uint64_t, uat_atomic_load_elsewhere, (const uat_atomic_t *word), (word), 8)
FAR(uint64_t, uat_atomic_swap_elsewhere, (uat_atomic_t * word, uint64_t desired), (word, desired), 8)
FAR_VOID(uat_atomic_store_elsewhere, (uat_atomic_t * word, uint64_t desired), (word, desired), 8)
FAR_VOID(uat_atomic_add_elsewhere, (uat_atomic_t * word, uint64_t more), (word, more), 8)
