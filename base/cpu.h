/* SPDX-License-Identifier: MIT */
/*
 * Processor primitives beyond C11. Only this folder, asm/ and the inline switch in include/uat/detail/generator.h know
 * the architecture; tests/tree/processors.py checks this. Each architecture has a header with these:
 *
 *     UAT_CPU_NAME               its name, for messages and for the comparison of workers
 *     UAT_CPU_ADDRESS_BITS       bits of a user-space address; a stack pointer with more is not valid
 *     UAT_CACHE_LINE             bytes of a cache line, which two cores do not share without cost
 *     uat_cpu_pause()            tells the core that this is a spin loop
 *     uat_cpu_counter()          a counter of constant rate, synchronised between the cores of a host
 *     uat_cpu_counter_ordered()  the same counter, read only after all earlier loads have completed
 *     uat_cpu_modes()            the floating-point modes that a call preserves
 *     uat_cpu_obstacle()         what this process has switched on that does not work with stacks that move, or NULL
 *     uat_cpu_canary()           the stack protector's canary of this process
 *     UAT_CPU_CANARY_MAY_CHANGE  whether a process can exchange its canary while it runs
 *     uat_cpu_has_crc32c()       has this processor an instruction for CRC-32C?
 *     uat_cpu_crc32c()           that instruction: the CRC, without its inversions, of 8 bytes more
 *     uat_cpu_frames_enter()     makes later frames valid in every worker: takes the common canary if canaries may
 *                                change, and switches off signed return addresses. Returns what _leave() needs
 *     uat_cpu_frames_leave()     restores the state before uat_cpu_frames_enter(). The function that calls both must
 *                                not have a stack protector: see UAT_NO_CANARY
 *
 * Each also has these fences, one for each need. The comment of each caller names the two sides.
 *
 *     uat_cpu_fence()            the full fence: no later load passes an earlier store. The peer may be a processor or
 *                                an adapter that reads and changes memory
 *     uat_cpu_fence_atomic()     makes an atomic a full fence, as a chain's atomic is (O1). It is called after the
 *                                atomic, and also before an atomic that may fail
 *     uat_cpu_fence_read()       follows a READ that this CPU has executed: no later load passes that READ (O7, B3)
 *     uat_cpu_store_release()    stores a word that peers READ. Earlier accesses stay before it, for adapters, too
 *     uat_cpu_load_acquire()     loads a word that peers WRITE or change. Later accesses stay after it, and see the
 *                                bytes that an adapter wrote before the word
 */
#ifndef UAT_CPU_H
#define UAT_CPU_H

#if defined(__x86_64__)
#include "base/cpu_x86_64.h"
#elif defined(__aarch64__)
#include "base/cpu_aarch64.h"
#else
#error "uat runs on x86-64 and aarch64: another processor needs a base/cpu_*.h and a folder in asm/"
#endif

#endif
