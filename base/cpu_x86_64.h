/* SPDX-License-Identifier: MIT */
/* base/cpu.h on x86-64. */
#ifndef UAT_CPU_X86_64_H
#define UAT_CPU_X86_64_H

#include <stdint.h>

enum { UAT_CACHE_LINE = 64 };

static inline void uat_cpu_pause(void)
{
    __builtin_ia32_pause();
}

/* The time-stamp counter. */
static inline uint64_t uat_cpu_counter(void)
{
    return __builtin_ia32_rdtsc();
}

/* LFENCE: RDTSC could otherwise execute before earlier loads complete. No peer: it orders this CPU's measurement. */
static inline uint64_t uat_cpu_counter_ordered(void)
{
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

/*
 * A locked instruction on this thread's stack orders ordinary memory as MFENCE does (Intel SDM 3A, 8.2.3.9), some 30
 * cycles cheaper: it does not wait for stores to device memory or for non-temporal stores, and uat uses neither.
 * Compilers emit MFENCE for a C11 fence. No shared word is touched. Each caller names the two sides that it orders.
 */
static inline void uat_cpu_fence(void)
{
    __asm__ volatile("lock addl $0, -64(%%rsp)" : : : "memory", "cc");
}

/* The part of the floating-point state that a call preserves: MXCSR without its exception flags and, above it, the x87
 * control word. */
static inline uint32_t uat_cpu_modes(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint32_t)x87 << 16 | (__builtin_ia32_stmxcsr() & 0xffc0);
}

#endif
