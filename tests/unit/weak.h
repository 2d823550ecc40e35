/* SPDX-License-Identifier: MIT */
/*
 * A simulated memory with weak order, for sources of the runtime. The sources are compiled with this header included
 * first. Two coroutines are the two processors. Their atomic accesses to words of shared memory, and the fences of
 * base/cpu.h, call the functions below. Everything else is as usual.
 *
 * A word keeps all values that were stored to it. A load returns the newest value that this processor knows, or any
 * newer value. Fences, releases and acquires hand that knowledge on, as in the memory model of C11 without sequentially
 * consistent accesses. The model is that of Kang et al., "A Promising Semantics for Relaxed-Memory Concurrency",
 * POPL'17, without promises. So loads may execute early and stores may be seen late, but no load returns a value that
 * is stored later.
 */
#ifndef UAT_TEST_WEAK_H
#define UAT_TEST_WEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"

enum weak_fence { WEAK_ACQUIRE = 1, WEAK_RELEASE = 2, WEAK_FULL = 7 };

/* Run two functions as two processors that share the words from `from` up to `to`. The seed determines all choices. */
void weak_run(uint64_t seed, const void *from, const void *to, void (*first)(void), void (*second)(void));

uint64_t weak_load(const void *word, size_t size, int order);
void weak_store(void *word, size_t size, uint64_t value, int order);
uint64_t weak_fetch_add(void *word, uint64_t value, int order);
/* A swap that fails is a load, and may return an old value. */
bool weak_compare_exchange(void *word, uint64_t *expected, uint64_t value, int order);
void weak_fence(enum weak_fence kinds);
/* Like memcpy(). Between shared and other memory it copies whole words. */
void weak_copy(void *to, const void *from, size_t size);

#define uat_cpu_fence()                        weak_fence(WEAK_FULL)
#define uat_cpu_fence_atomic()                 weak_fence(WEAK_FULL)
#define uat_cpu_fence_read()                   weak_fence(WEAK_ACQUIRE)
#define uat_cpu_store_release(word, value)     weak_store((word), 8, (value), __ATOMIC_RELEASE)
#define uat_cpu_load_acquire(word)             weak_load((word), 8, __ATOMIC_ACQUIRE)
#define __atomic_load_n(word, order)           ((__typeof__(*(word)))weak_load((word), sizeof(*(word)), (order)))
#define __atomic_store_n(word, value, order)   weak_store((word), sizeof(*(word)), (uint64_t)(value), (order))
#define __atomic_fetch_add(word, value, order) weak_fetch_add((word), (value), (order))
#define __atomic_compare_exchange_n(word, expected, value, weak, order, fail)                                          \
    weak_compare_exchange((word), (expected), (value), (order))
#define memcpy(to, from, size)       weak_copy((to), (from), (size))
#define __atomic_thread_fence(order) weak_fence((order) == __ATOMIC_RELEASE ? WEAK_RELEASE : WEAK_FULL)

#endif
