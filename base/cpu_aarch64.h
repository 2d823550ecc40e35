/* SPDX-License-Identifier: MIT */
/* base/cpu.h on aarch64. */
#ifndef UAT_CPU_AARCH64_H
#define UAT_CPU_AARCH64_H

#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#define UAT_CPU_NAME "aarch64"
/* Nearly all processors have cache lines of 64 bytes. If lines are longer (A64FX: 256 bytes), words that are 64 bytes
 * apart may share a line. This only costs time. */
enum { UAT_CACHE_LINE = 64, UAT_CPU_ADDRESS_BITS = 48, UAT_CPU_CANARY_MAY_CHANGE = 0 };

/* ISB waits some tens of cycles. YIELD would not wait: it is a NOP on most cores. */
static inline void uat_cpu_pause(void)
{
    __asm__ volatile("isb" : : : "memory");
}

/* The virtual counter of the generic timer: a tick takes 1 to 40 ns. */
static inline uint64_t uat_cpu_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Bit 7 of AT_HWCAP is HWCAP_CRC32 (Linux, arch/arm64/include/uapi/asm/hwcap.h). */
static inline int uat_cpu_has_crc32c(void)
{
    return (int)(getauxval(AT_HWCAP) >> 7 & 1);
}

static inline uint32_t uat_cpu_crc32c(uint32_t crc, uint64_t word)
{
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r"(crc) : "r"(word));
    return crc;
}

/* DMB ISHLD waits for earlier loads. ISB keeps the counter from being read before these loads are complete. Both pair
 * with nothing: they order only the CPU's own measurement. */
static inline uint64_t uat_cpu_counter_ordered(void)
{
    __asm__ volatile("dmb ishld\n\tisb" : : : "memory");
    return uat_cpu_counter();
}

/* DMB OSH orders accesses for the outer shareable domain, which includes the adapters. DMB ISH would order accesses
 * only for processors. */
static inline void uat_cpu_fence(void)
{
    __asm__ volatile("dmb osh" : : : "memory");
}

/* The atomic alone is no full fence: a later load may pass an STLXR, and a CASAL that fails stores nothing. DMB ISH
 * suffices, because a processor executed the atomic. Over verbs, the adapter executes atomics and needs no such
 * fence. */
static inline void uat_cpu_fence_atomic(void)
{
    __asm__ volatile("dmb ish" : : : "memory");
}

/* Orders only loads. As in uat_cpu_fence_atomic(), the other side is always a processor. */
static inline void uat_cpu_fence_read(void)
{
    __asm__ volatile("dmb ishld" : : : "memory");
}

/* STLR and LDAR would order accesses only for processors. Adapters need the outer shareable domain, as in
 * udma_barrier.h of rdma-core. */
static inline __attribute__((always_inline)) void uat_cpu_store_release(uint64_t *word, uint64_t value)
{
    __asm__ volatile("dmb osh" : : : "memory");
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline __attribute__((always_inline)) uint64_t uat_cpu_load_acquire(const uint64_t *word)
{
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    __asm__ volatile("dmb oshld" : : : "memory");
    return value;
}

/* FPCR: rounding, flushing to zero, trapped exceptions. */
static inline uint32_t uat_cpu_modes(void)
{
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    return (uint32_t)modes;
}

/* prctl(2) without the C library. The library's function could sign its return address with one state of the keys and
 * check it with the other state. */
static inline long uat_cpu_prctl(long option, long a, long b)
{
    register long x8 __asm__("x8") = 167;
    register long x0 __asm__("x0") = option;
    register long x1 __asm__("x1") = a;
    register long x2 __asm__("x2") = b;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}

/* Constants of linux/prctl.h and asm/hwcap.h. This file repeats them, because the installed headers may be older than
 * the kernel. */
enum {
    UAT_CPU_HWCAP_PACA = 1 << 30,
    UAT_CPU_GET_TAGGED_ADDR_CTRL = 56,
    UAT_CPU_MTE_CHECKS = 3 << 1,
    UAT_CPU_PAC_SET_ENABLED_KEYS = 60,
    UAT_CPU_PAC_GET_ENABLED_KEYS = 61,
    UAT_CPU_PAC_KEYS = 15, /* IA, IB, DA, DB */
    UAT_CPU_GET_SHADOW_STACK_STATUS = 74
};

static inline int uat_cpu_signs(void)
{
    return (getauxval(AT_HWCAP) & UAT_CPU_HWCAP_PACA) != 0;
}

static inline const char *uat_cpu_obstacle(void)
{
    uint64_t shadow_stack = 0;
    long tags = uat_cpu_prctl(UAT_CPU_GET_TAGGED_ADDR_CTRL, 0, 0); /* -EINVAL: an older kernel, without tags */
    if (tags > 0 && (tags & UAT_CPU_MTE_CHECKS))
        return "memory tags are checked (MTE), and a stack loses its tags when it moves; run without MTE, such as "
               "without glibc.mem.tagging in GLIBC_TUNABLES";
    if (uat_cpu_prctl(UAT_CPU_GET_SHADOW_STACK_STATUS, (long)&shadow_stack, 0) == 0 && (shadow_stack & 1))
        return "guarded control stacks (GCS) are on, and they do not move with a stack; run without them, such as with "
               "GLIBC_TUNABLES=glibc.cpu.aarch64_gcs=0";
    if (uat_cpu_signs() && uat_cpu_prctl(UAT_CPU_PAC_GET_ENABLED_KEYS, 0, 0) < 0)
        return "return addresses may be signed (PAC) with this process's keys, which this kernel cannot switch off "
               "within uat_run(); use Linux 5.13 or later";
    return NULL;
}

/* The canary. The loader sets it to a random number in each process. After the program's start, the canary is
 * read-only. */
extern uintptr_t __stack_chk_guard;
static inline uint64_t uat_cpu_canary(void)
{
    return __stack_chk_guard;
}

/* The instructions that sign and check return addresses are NOPs while their keys are off (PR_PAC_SET_ENABLED_KEYS).
 * The two functions below have no frame, because they are inline. A frame would be signed with one state of the keys
 * and checked with the other state. */
static inline __attribute__((always_inline)) void uat_cpu_frames_leave(uint64_t keys)
{
    if (keys)
        uat_cpu_prctl(UAT_CPU_PAC_SET_ENABLED_KEYS, UAT_CPU_PAC_KEYS, (long)keys);
}
static inline __attribute__((always_inline)) uint64_t uat_cpu_frames_enter(uint64_t canary)
{
    (void)canary; /* the canary cannot be replaced; uat_identity_compare() refuses programs that have canaries */
    long keys = uat_cpu_signs() ? uat_cpu_prctl(UAT_CPU_PAC_GET_ENABLED_KEYS, 0, 0) : 0;
    if (keys <= 0)
        return 0;
    uat_cpu_prctl(UAT_CPU_PAC_SET_ENABLED_KEYS, UAT_CPU_PAC_KEYS, 0);
    return (uint64_t)keys;
}

#endif
