/* SPDX-License-Identifier: MIT */
/*
 * A thread for microbenchmarks of steals and context switches. The thread counts how often it is resumed, and suspends
 * itself again. Its stack has exactly the requested size. The runtime can steal, resume and suspend it like a task.
 */
#ifndef UAT_PROBE_THREAD_H
#define UAT_PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/offsets.h"

/* The least size has room for the saved registers, the return address and the counter. Every size is a multiple of
 * UAT_PROBE_THREAD_MULTIPLE. */
enum {
    UAT_PROBE_THREAD_MULTIPLE = 8,
    UAT_PROBE_THREAD_MIN = (sizeof(struct uat_continuation) + sizeof(uint64_t) + 15) / 16 * 16
};

/* uat_cpu_counter() when the thread was last resumed. */
extern uint64_t uat_probe_thread_resumed;

/* The base of a thread's stack of `bytes` bytes. It is the highest address that aligns the thread's calls. */
uintptr_t uat_probe_thread_base(size_t bytes);

/* Make a suspended thread. Its stack is [result, base), and result is base - bytes. */
uintptr_t uat_probe_thread_make(uintptr_t base, size_t bytes);

/* After this number of resumptions, is the whole stack of the suspended thread in place? */
bool uat_probe_thread_is_whole(uintptr_t base, size_t bytes, uint64_t resumptions);

#endif
