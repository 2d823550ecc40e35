/* SPDX-License-Identifier: MIT */
/* base/cpu.h on x86-64. */
#ifndef UAT_CPU_X86_64_H
#define UAT_CPU_X86_64_H

#include <stddef.h>
#include <stdint.h>

#define UAT_CPU_NAME "x86-64"
enum { UAT_CACHE_LINE = 64, UAT_CPU_ADDRESS_BITS = 47, UAT_CPU_CANARY_MAY_CHANGE = 1 };

static inline void uat_cpu_pause(void)
{
    __builtin_ia32_pause();
}

/* The time-stamp counter. */
static inline uint64_t uat_cpu_counter(void)
{
    return __builtin_ia32_rdtsc();
}

/* Without LFENCE, RDTSC could execute before earlier loads complete. LFENCE pairs with nothing: it orders only the
 * CPU's own measurement. */
static inline uint64_t uat_cpu_counter_ordered(void)
{
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

/*
 * A locked instruction on this thread's stack orders ordinary memory as MFENCE does (Intel SDM 3A, 8.2.3.9). It is
 * about 30 cycles cheaper than MFENCE, which compilers emit for a C11 fence. Unlike MFENCE, it does not wait for stores
 * to device memory and non-temporal stores; uat uses neither. The instruction accesses no shared word. A comment at
 * each use names the two sides that the fence orders.
 */
static inline void uat_cpu_fence(void)
{
    __asm__ volatile("lock addl $0, -64(%%rsp)" : : : "memory", "cc");
}

/* The part of the floating-point state that a call preserves: MXCSR without its exception flags, and above these bits
 * the x87 control word. */
static inline uint32_t uat_cpu_modes(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint32_t)x87 << 16 | (__builtin_ia32_stmxcsr() & 0xffc0);
}

/* Every locked instruction is a full fence, even a swap that fails. So this function emits no instruction and only
 * keeps the compiler from moving accesses. */
static inline void uat_cpu_fence_atomic(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The processor keeps loads in order (TSO), so this function emits no instruction. */
static inline void uat_cpu_fence_read(void)
{
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
}

/* The processor keeps stores in order, and adapters see them in that order. */
static inline __attribute__((always_inline)) void uat_cpu_store_release(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline __attribute__((always_inline)) uint64_t uat_cpu_load_acquire(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline int uat_cpu_has_crc32c(void)
{
    return __builtin_cpu_supports("sse4.2");
}

static inline uint32_t uat_cpu_crc32c(uint32_t crc, uint64_t word)
{
    uint64_t wide = crc;
    __asm__("crc32q %1, %0" : "+r"(wide) : "rm"(word));
    return (uint32_t)wide;
}

/* The library's objects are not marked for shadow stacks (CET), so the loader has switched shadow stacks off. */
static inline const char *uat_cpu_obstacle(void)
{
    return NULL;
}

/* The canary is a word at the same offset from fs in every thread. */
static inline uint64_t uat_cpu_canary(void)
{
    uint64_t canary;
    __asm__ volatile("mov %%fs:0x28, %0" : "=r"(canary));
    return canary;
}

static inline void uat_cpu_frames_leave(uint64_t canary)
{
    __asm__ volatile("mov %0, %%fs:0x28" : : "r"(canary) : "memory");
}

static inline uint64_t uat_cpu_frames_enter(uint64_t canary)
{
    uint64_t own = uat_cpu_canary();
    uat_cpu_frames_leave(canary);
    return own;
}

#endif
