/* SPDX-License-Identifier: MIT */
/* The heap: a block that is allocated in a run belongs to the strand that has allocated it. Of malloc() and free() only
 * the calls in the program's objects are wrapped, not those in libraries and in the runtime. */
#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

#include "races/shadow.h"
#include "races/stack.h"
#include "races/start.h"

enum { BLOCK_MAX = 64 << 20 /* bytes: the shadow of larger blocks is not cleared, which would cost too much */ };
enum { EXCEPTION = 64 /* bytes of an exception that the program itself may read */, LARGE_EXCEPTION = 4096 };

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
 * library. They call libstdc++'s own functions. A program that defines them itself keeps its own.
 */
#define REPLACE(result, name, params, ...)                                                                             \
    __attribute__((weak, visibility("default"))) result name params;                                                   \
    result name params                                                                                                 \
    {                                                                                                                  \
        static result(*real) params;                                                                                   \
        if (!real)                                                                                                     \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                 \
        __VA_ARGS__;                                                                                                   \
    }
#define REPLACE_NEW(name, params, args)    REPLACE(void *, name, params, return born(real args, n, UAT_RACES_SITE()))
#define REPLACE_DELETE(name, params, args) REPLACE(void, name, params, dies(p, UAT_RACES_SITE()); real args)
REPLACE_NEW(_Znwm, (size_t n), (n))
REPLACE_NEW(_Znam, (size_t n), (n))
REPLACE_NEW(_ZnwmSt11align_val_t, (size_t n, size_t k), (n, k))
REPLACE_NEW(_ZnamSt11align_val_t, (size_t n, size_t k), (n, k))
REPLACE_DELETE(_ZdlPv, (void *p), (p))
REPLACE_DELETE(_ZdaPv, (void *p), (p))
REPLACE_DELETE(_ZdlPvm, (void *p, size_t n), (p, n))
REPLACE_DELETE(_ZdaPvm, (void *p, size_t n), (p, n))
REPLACE_DELETE(_ZdlPvSt11align_val_t, (void *p, size_t k), (p, k))
REPLACE_DELETE(_ZdaPvSt11align_val_t, (void *p, size_t k), (p, k))
REPLACE_DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t n, size_t k), (p, n, k))

/* In a program without C++ these functions do not exist; nothing calls the wrappers. */
#pragma weak __real___cxa_guard_acquire
#pragma weak __real___cxa_guard_release
#pragma weak __real___cxa_guard_abort
#pragma weak __real___cxa_allocate_exception
#pragma weak __real___cxa_begin_catch

/* The initialization of a static variable in a function: each process does it once for itself. */
int __real___cxa_guard_acquire(uint64_t *guard);
int __wrap___cxa_guard_acquire(uint64_t *guard);
int __wrap___cxa_guard_acquire(uint64_t *guard)
{
    int mine = __real___cxa_guard_acquire(guard);
    uat_races_initializing += mine;
    return mine;
}

#define WRAP_GUARD(name)                                                                                               \
    void __real_##name(uint64_t *guard);                                                                               \
    void __wrap_##name(uint64_t *guard);                                                                               \
    void __wrap_##name(uint64_t *guard)                                                                                \
    {                                                                                                                  \
        __real_##name(guard);                                                                                          \
        uat_races_initializing--;                                                                                      \
    }
WRAP_GUARD(__cxa_guard_release)
WRAP_GUARD(__cxa_guard_abort)

/* libstdc++ allocates and frees exceptions, so a new one may be where an earlier one was. This also holds for one that
 * a library throws and the program catches. */
void *__real___cxa_allocate_exception(size_t n);
void *__wrap___cxa_allocate_exception(size_t n);
void *__wrap___cxa_allocate_exception(size_t n)
{
    void *object = __real___cxa_allocate_exception(n);
    if (uat_races_active)
        uat_races_clear((uintptr_t)object, n);
    return object;
}

void *__real___cxa_begin_catch(void *exception);
void *__wrap___cxa_begin_catch(void *exception);
void *__wrap___cxa_begin_catch(void *exception)
{
    const struct _Unwind_Exception *e = exception;
    void *object = __real___cxa_begin_catch(exception);
    bool shared = (e->exception_class & 0xff) == 1; /* by std::rethrow_exception(): the object is elsewhere */
    /* Of a pointer that was thrown, `object` is the value. What it points to is no exception. */
    if (uat_races_active && object && (shared || (uintptr_t)object - (uintptr_t)(e + 1) < LARGE_EXCEPTION))
        uat_races_clear((uintptr_t)object, EXCEPTION);
    return object;
}
