/* SPDX-License-Identifier: MIT */
/* The heap: a block that is allocated in a run belongs to the strand that has allocated it. Of malloc() and free() only
 * the calls in the program's objects are wrapped, not those in libraries and in the runtime. */
#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>

#include "races/shadow.h"
#include "races/stack.h"
#include "races/start.h"
#include "runtime/job/fatal.h"

enum { BLOCK_MAX = 64 << 20 /* bytes: the shadow of larger blocks is not cleared, which would cost too much */ };

static void *born(void *p, size_t n, uintptr_t site)
{
    if (!uat_races_active || !p || n > BLOCK_MAX)
        return p;
    if (uat_races_in_task() && !uat_races_initializing)
        uat_races_allocated((uintptr_t)p, n, site);
    else
        uat_races_clear((uintptr_t)p, n);
    return p;
}

static void dies(void *p, uintptr_t site)
{
    if (!uat_races_active || !p)
        return;
    size_t n = malloc_usable_size(p);
    if (uat_races_in_task() && uat_races_is_shadowed((uintptr_t)p))
        uat_races_access((uintptr_t)p, 1, UAT_RACES_WRITE, site);
    if (n <= BLOCK_MAX)
        uat_races_clear((uintptr_t)p, n);
}

#define WRAP_ALLOC(name, params, args, size)                                                                           \
    void *__real_##name params;                                                                                        \
    void *__wrap_##name params;                                                                                        \
    void *__wrap_##name params                                                                                         \
    {                                                                                                                  \
        return born(__real_##name args, size, UAT_RACES_SITE());                                                       \
    }
#define WRAP_FREE(name, params, args)                                                                                  \
    void __real_##name params;                                                                                         \
    void __wrap_##name params;                                                                                         \
    void __wrap_##name params                                                                                          \
    {                                                                                                                  \
        dies(p, UAT_RACES_SITE());                                                                                     \
        __real_##name args;                                                                                            \
    }
WRAP_ALLOC(malloc, (size_t n), (n), n)
WRAP_ALLOC(calloc, (size_t k, size_t n), (k, n), k *n)
WRAP_ALLOC(aligned_alloc, (size_t k, size_t n), (k, n), n)
WRAP_FREE(free, (void *p), (p))

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
    dies(p, UAT_RACES_SITE());
    return born(__real_realloc(p, n), n, UAT_RACES_SITE());
}

int __real_posix_memalign(void **p, size_t k, size_t n);
int __wrap_posix_memalign(void **p, size_t k, size_t n);
int __wrap_posix_memalign(void **p, size_t k, size_t n)
{
    int rc = __real_posix_memalign(p, k, n);
    if (rc == 0)
        born(*p, n, UAT_RACES_SITE());
    return rc;
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    uat_races_memory((uintptr_t)s, n, UAT_RACES_READ, UAT_RACES_SITE());
    return born(__real_strdup(s), n, UAT_RACES_SITE());
}

/*
 * C++: new and delete, with and without size and alignment, and of arrays. The program's definition of them replaces
 * that of libstdc++ in libstdc++, too, so these functions see the blocks of strings and streams, whose code is in the
 * library. They call libstdc++'s own functions if libstdc++ is loaded. It is not if the program is linked with
 * -static-libstdc++ or needs nothing else of the library. Then the blocks are of malloc(), as in libstdc++, but where
 * new would throw, the program ends by a line. A program that defines the functions itself keeps its own.
 */
static void *allocate(size_t n, size_t k)
{
    void *p = __real_aligned_alloc(k, n);
    if (!p)
        uat_fatal("operator new has no memory for %zu bytes", n);
    return p;
}

#define REPLACE(result, name, params, ...)                                                                             \
    __attribute__((weak, visibility("default"))) result name params;                                                   \
    result name params                                                                                                 \
    {                                                                                                                  \
        static result(*real) params;                                                                                   \
        static bool asked;                                                                                             \
        if (!asked)                                                                                                    \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        asked = true;                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define REPLACE_NEW(name, params, args, alignment)                                                                     \
    REPLACE(void *, name, params, return born(real ? real args : allocate(n, alignment), n, UAT_RACES_SITE()))
#define REPLACE_DELETE(name, params, args)                                                                             \
    REPLACE(void, name, params, dies(p, UAT_RACES_SITE()); if (real) real args; else __real_free(p))
REPLACE_NEW(_Znwm, (size_t n), (n), _Alignof(max_align_t))
REPLACE_NEW(_Znam, (size_t n), (n), _Alignof(max_align_t))
REPLACE_NEW(_ZnwmSt11align_val_t, (size_t n, size_t k), (n, k), k)
REPLACE_NEW(_ZnamSt11align_val_t, (size_t n, size_t k), (n, k), k)
REPLACE_DELETE(_ZdlPv, (void *p), (p))
REPLACE_DELETE(_ZdaPv, (void *p), (p))
REPLACE_DELETE(_ZdlPvm, (void *p, size_t n), (p, n))
REPLACE_DELETE(_ZdaPvm, (void *p, size_t n), (p, n))
REPLACE_DELETE(_ZdlPvSt11align_val_t, (void *p, size_t k), (p, k))
REPLACE_DELETE(_ZdaPvSt11align_val_t, (void *p, size_t k), (p, k))
REPLACE_DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t n, size_t k), (p, n, k))
