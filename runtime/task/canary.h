/* SPDX-License-Identifier: MIT */
/*
 * The stack protector's canary. A function stores its process's canary in its frame on entry. The process in which the
 * function returns checks this canary. The task may have migrated between entry and return, so all workers use the same
 * canary inside uat_run(). Functions that are active while the canary changes are compiled without protection
 * (UAT_NO_CANARY). uat_identity_compare() refuses a program that has canaries if a process cannot exchange its canary.
 */
#ifndef UAT_CANARY_H
#define UAT_CANARY_H

#include "base/cpu.h"

#if defined(__SSP__) || defined(__SSP_STRONG__) || defined(__SSP_ALL__)
enum { UAT_HAS_CANARIES = 1 };
#else
enum { UAT_HAS_CANARIES = 0 };
#endif
/* meson.build passes -fno-stack-protector where needed, but flags from the environment follow and may override it. */
_Static_assert(UAT_CPU_CANARY_MAY_CHANGE || !UAT_HAS_CANARIES,
               "frames of the library move with a task, and a canary does not: build with -fno-stack-protector");

#define UAT_NO_CANARY __attribute__((no_stack_protector, noinline))

#endif
