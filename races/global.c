/* SPDX-License-Identifier: MIT */
/* Accesses to global memory. Compilers see the accesses through a pointer that a checkout has returned; a checkout
 * accesses all its bytes. An atomic after uat_global_release() publishes what the task wrote before that call. */
#include "include/uat/global.h"

#include "include/uat.h"
#include "include/uat/object.h"
#include "include/uat/reducer.h"
#include "include/uat/transfer.h"
#include "races/report.h"
#include "races/shadow.h"
#include "races/start.h"

void uat_races_global(const void *p, size_t n, int access)
{
    if (uat_races_active)
        uat_races_access((uintptr_t)p, n, access & UAT_WRITE ? UAT_RACES_WRITE : UAT_RACES_READ, UAT_RACES_SITE());
}

void uat_races_atomic(const void *p, int access)
{
    if (!uat_races_active)
        return;
    uintptr_t word = (uintptr_t)p;
    uat_races_access(word, 8, UAT_RACES_ATOMIC | (access & UAT_WRITE ? UAT_RACES_WRITE : UAT_RACES_READ),
                     UAT_RACES_SITE());
    if (!uat_races_in_task())
        return;
    uint32_t published = uat_races_running->published;
    if (access & UAT_READ)
        uat_races_acquire(word);
    if ((access & UAT_WRITE) && published)
        uat_races_release_strand(word, published);
}

void uat_races_view(const void *p, size_t n)
{
    if (uat_races_active)
        uat_races_clear((uintptr_t)p,
                        n); /* this strand's view; a pointer kept from an earlier strand may be another's */
}

/* The runtime combines the views of two strands by a function of the program, in the name of neither. */
void __real_uat_views_add(const void *flat, size_t size);
void __wrap_uat_views_add(const void *flat, size_t size);
void __wrap_uat_views_add(const void *flat, size_t size)
{
    bool watched = uat_races_active;
    uat_races_active = false;
    __real_uat_views_add(flat, size);
    uat_races_active = watched;
}

void uat_races_ignore(const void *p, size_t n)
{
    uat_races_ignore_bytes((uintptr_t)p, n);
}

void __real_uat_global_release(void);
void __wrap_uat_global_release(void);
void __wrap_uat_global_release(void)
{
    __real_uat_global_release();
    if (!uat_races_in_task())
        return;
    uat_races_running->published = uat_races_strand_of(uat_races_running);
    uat_races_next_strand(uat_races_running);
}

#define WRAP(name, params, args, access)                                                                               \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        if (uat_races_active)                                                                                          \
            access;                                                                                                    \
        __real_##name args;                                                                                            \
    }
#define RANGE(p, kind) uat_races_access((uintptr_t)(p), bytes, kind, UAT_RACES_SITE())
#define ROWS(p, kind)                                                                                                  \
    for (size_t i = 0; i < rows; i++)                                                                                  \
    uat_races_access((uintptr_t)(p) + i * pitch, bytes, kind, UAT_RACES_SITE())

WRAP(uat_global_get_begin, (uat_global_transfer_t * t, void *l, const void *g, size_t bytes), (t, l, g, bytes),
     RANGE(g, UAT_RACES_READ))
WRAP(uat_global_put_begin, (uat_global_transfer_t * t, void *g, const void *l, size_t bytes), (t, g, l, bytes),
     RANGE(g, UAT_RACES_WRITE))
WRAP(uat_global_get_strided, (void *l, size_t lp, const void *g, size_t pitch, size_t bytes, size_t rows),
     (l, lp, g, pitch, bytes, rows), ROWS(g, UAT_RACES_READ))
WRAP(uat_global_put_strided, (void *g, size_t pitch, const void *l, size_t lp, size_t bytes, size_t rows),
     (g, pitch, l, lp, bytes, rows), ROWS(g, UAT_RACES_WRITE))
WRAP(uat_global_get_strided_begin,
     (uat_global_transfer_t * t, void *l, size_t lp, const void *g, size_t pitch, size_t bytes, size_t rows),
     (t, l, lp, g, pitch, bytes, rows), ROWS(g, UAT_RACES_READ))
WRAP(uat_global_put_strided_begin,
     (uat_global_transfer_t * t, void *g, size_t pitch, const void *l, size_t lp, size_t bytes, size_t rows),
     (t, g, pitch, l, lp, bytes, rows), ROWS(g, UAT_RACES_WRITE))

/* A new object or temporary array may have the bytes of an earlier one. */
#define WRAP_ALLOC(name)                                                                                               \
    void *__real_##name(size_t bytes);                                                                                 \
    void *__wrap_##name(size_t bytes);                                                                                 \
    void *__wrap_##name(size_t bytes)                                                                                  \
    {                                                                                                                  \
        void *p = __real_##name(bytes);                                                                                \
        if (uat_races_active && p)                                                                                     \
            uat_races_clear((uintptr_t)p, bytes);                                                                      \
        return p;                                                                                                      \
    }
WRAP_ALLOC(uat_global_object_alloc)
WRAP_ALLOC(uat_global_temporary_alloc)
