/* SPDX-License-Identifier: MIT */
/*
 * What uat asks of the processor besides C11, behind names: only this folder and asm/ know which processor it is.
 * Each architecture has a header of these functions:
 *
 *     uat_cpu_pause()            a hint that this is a waiting loop
 *     uat_cpu_counter()          a counter of constant rate, the same on all cores of the host
 *     uat_cpu_counter_ordered()  the same, read only when all earlier loads have their values
 *     uat_cpu_fence()            the full fence: no later load before an earlier store
 */
#ifndef UAT_CPU_H
#define UAT_CPU_H

#if defined(__x86_64__)
#include "base/cpu_x86_64.h"
#else
#error "uat runs on x86-64 only: another processor needs a base/cpu_*.h and a folder in asm/"
#endif

#endif
