/* SPDX-License-Identifier: MIT */
/*
 * The full fence of x86-64: all loads and stores before it are globally visible before any after it; of these only
 * store-load order is not what the processor does anyway. A locked instruction on the own stack orders ordinary memory
 * as MFENCE does (Intel SDM 3A, 8.2.3.9), some 30 cycles cheaper: it does not wait for stores to device memory and
 * non-temporal ones, of which there are none here. Compilers emit MFENCE for a C11 fence. No shared word is touched.
 */
#ifndef UAT_FENCE_H
#define UAT_FENCE_H

static inline void uat_full_fence(void)
{
    __asm__ volatile("lock addl $0, -64(%%rsp)" : : : "memory", "cc");
}

#endif
