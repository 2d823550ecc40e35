/* SPDX-License-Identifier: MIT */
/*
 * Processor primitives beyond C11. Only this folder and asm/ know the architecture.
 * Each architecture has a header with these functions:
 *
 *     uat_cpu_pause()            tells the core that this is a spin loop
 *     uat_cpu_counter()          a counter of constant rate, synchronised between the cores of a host
 *     uat_cpu_counter_ordered()  the same, read only after all earlier loads have completed
 *     uat_cpu_modes()            the floating-point modes that a call preserves
 *     uat_cpu_fence()            the full fence: no later load before an earlier store
 *     UAT_CACHE_LINE             bytes that two cores do not share without cost
 */
#ifndef UAT_CPU_H
#define UAT_CPU_H

#if defined(__x86_64__)
#include "base/cpu_x86_64.h"
#else
#error "uat runs on x86-64 only: another processor needs a base/cpu_*.h and a folder in asm/"
#endif

#endif
