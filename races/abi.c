/* SPDX-License-Identifier: MIT */
/* Calls of the C++ ABI. Only programs that make such calls take this object out of libuat-races.a. So its references
 * are strong, and the linker finds the functions in a static libstdc++, too. */
#include <stdint.h>
#include <unwind.h>

#include "races/shadow.h"
#include "races/start.h"

enum { EXCEPTION = 64 /* bytes of an exception that the program itself may read */, LARGE_EXCEPTION = 4096 };

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
