/* SPDX-License-Identifier: MIT */
/*
 * Hooks for AddressSanitizer. The hooks tell the sanitizer which stack is in use, and which red zones in the
 * uni-address region are stale leftovers of earlier tasks. The sanitizer's functions are weak references, so one
 * library serves programs with and without it.
 */
#ifndef UAT_SANITIZE_H
#define UAT_SANITIZE_H

#include <stddef.h>
#include <stdint.h>

/* asan_interface.h and common_interface_defs.h declare them; not every compiler has these headers. */
extern void __asan_unpoison_memory_region(void const volatile *address, size_t size) __attribute__((weak));
extern void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size) __attribute__((weak));
extern void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_bottom, size_t *old_size)
    __attribute__((weak));
/* Instrumented functions read this on entry to learn whether to keep their locals off the stack. */
extern int __asan_option_detect_stack_use_after_return __attribute__((weak));

/* The process's own stack while a task runs, and the memory for locals that functions on that stack keep elsewhere. */
__attribute__((unused)) static const void *uat_sanitize_own;
__attribute__((unused)) static size_t uat_sanitize_own_size;
__attribute__((unused)) static void *uat_sanitize_own_locals;

/* Unpoison the red zones in [from, to), which is about to move as a whole. */
static inline void uat_sanitize_unpoison(uintptr_t from, uintptr_t to)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region((void *)from, to - from);
}

/* Called before the switch to a task. Its stacks are [low, high), and everything below base is free for the task. This
 * function also completes the switch, because there is no suitable place for that on the task's side. */
static inline void uat_sanitize_enter(uintptr_t low, uintptr_t high, uintptr_t base)
{
    uat_sanitize_unpoison(low, base);
    if (!__sanitizer_start_switch_fiber)
        return;
    __sanitizer_start_switch_fiber(&uat_sanitize_own_locals, (void *)low, high - low);
    __sanitizer_finish_switch_fiber(NULL, &uat_sanitize_own, &uat_sanitize_own_size);
}

/* Called after the switch back to the process's own stack. */
static inline void uat_sanitize_leave(void)
{
    if (!__sanitizer_start_switch_fiber)
        return;
    __sanitizer_start_switch_fiber(NULL, uat_sanitize_own, uat_sanitize_own_size);
    __sanitizer_finish_switch_fiber(uat_sanitize_own_locals, NULL, NULL);
}

/* Make functions keep their locals on the stack from now on, because locals off the stack do not migrate with it. */
static inline void uat_sanitize_open(void)
{
    if (&__asan_option_detect_stack_use_after_return)
        __asan_option_detect_stack_use_after_return = 0;
}

#endif
