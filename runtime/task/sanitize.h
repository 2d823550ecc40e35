/* SPDX-License-Identifier: MIT */
/*
 * Hooks for AddressSanitizer: which stack is in use, and which red zones that earlier tasks left in the uni-address region
 * are stale. Empty without it.
 */
#ifndef UAT_SANITIZE_H
#define UAT_SANITIZE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __has_feature /* clang's way to tell; gcc defines __SANITIZE_ADDRESS__ */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

__attribute__((unused)) static const void *uat_sanitize_stack;
__attribute__((unused)) static size_t uat_sanitize_stack_size;

/* The words of [from, to) are stacks to be moved as a whole: what is a red zone among them does not matter. */
static inline void uat_sanitize_forget(uintptr_t from, uintptr_t to)
{
    __asan_unpoison_memory_region((void *)from, to - from);
}

/* Before the switch to a task: its stacks are [low, high), and all below base is free for it. The switch is told as
 * complete at once, for the task side has no place of its own to tell it. */
static inline void uat_sanitize_enter(uintptr_t low, uintptr_t high, uintptr_t base)
{
    uat_sanitize_forget(low, base);
    __sanitizer_start_switch_fiber(NULL, (void *)low, high - low);
    __sanitizer_finish_switch_fiber(NULL, &uat_sanitize_stack, &uat_sanitize_stack_size);
}

/* Back on the process's own stack. */
static inline void uat_sanitize_leave(void)
{
    __sanitizer_start_switch_fiber(NULL, uat_sanitize_stack, uat_sanitize_stack_size);
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
}
#else
static inline void uat_sanitize_forget(uintptr_t from, uintptr_t to)
{
    (void)from;
    (void)to;
}
static inline void uat_sanitize_enter(uintptr_t low, uintptr_t high, uintptr_t base)
{
    (void)low;
    (void)high;
    (void)base;
}
static inline void uat_sanitize_leave(void)
{
}
#endif

#endif
