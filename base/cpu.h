/* SPDX-License-Identifier: MIT */
/*
 * Processor primitives beyond C11. Only three places contain code for one architecture: this folder, asm/, and the
 * inline switch in include/uat/detail/generator.h. tests/tree/processors.py checks this. Each architecture has a header
 * with:
 *
 *     UAT_CPU_NAME               its name, for messages and for the comparison of workers
 *     UAT_CPU_ADDRESS_BITS       bits of a user-space address; a stack pointer with more bits is not valid
 *     UAT_CACHE_LINE             bytes of a cache line, the unit that moves between cores
 *     uat_cpu_pause()            tells the core that this is a spin loop
 *     uat_cpu_counter()          a counter of constant rate, synchronised between the cores of a host
 *     uat_cpu_counter_ordered()  uat_cpu_counter(), read only after all earlier loads have completed
 *     uat_cpu_modes()            the floating-point modes that a call preserves
 *     uat_cpu_obstacle()         text: a feature of this process that does not work with stacks that move, or NULL
 *     uat_cpu_canary()           the stack protector's canary of this process
 *     UAT_CPU_CANARY_MAY_CHANGE  can a process replace its canary while it runs?
 *     uat_cpu_has_crc32c()       does this processor have an instruction for CRC-32C?
 *     uat_cpu_crc32c()           that instruction: updates a CRC, without its inversions, by 8 bytes
 *     uat_cpu_frames_enter()     makes later frames valid in every worker: installs the common canary if canaries may
 *                                change, and switches off signed return addresses. Returns the argument for _leave()
 *     uat_cpu_frames_leave()     restores the state that uat_cpu_frames_enter() changed. The function that calls both
 *                                must be compiled without a stack protector: see UAT_NO_CANARY
 *
 * Each header also has these fences. A comment at each use names the two sides that the fence orders.
 *
 *     uat_cpu_fence()            the full fence: no later load passes an earlier store. The other side may be a
 *                                processor or an adapter
 *     uat_cpu_fence_atomic()     makes an atomic a full fence, like the atomic of a chain (O1). Call it after the
 *                                atomic, and also before an atomic that may fail
 *     uat_cpu_fence_read()       call it after a READ that this CPU has executed: no later load passes the READ (O7,
 *                                B3)
 *     uat_cpu_store_release()    stores a word that peers READ. Earlier accesses stay before the store, also as
 *                                adapters see them
 *     uat_cpu_load_acquire()     loads a word that peers WRITE or change. Later accesses stay after the load. They see
 *                                the bytes that an adapter wrote before the word
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
