/* SPDX-License-Identifier: MIT */
/* The places of the registers in a signal's context. */
#ifndef UAT_CPU_CONTEXT_H
#define UAT_CPU_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

#ifdef __aarch64__
enum { UAT_CPU_CONTEXT_REGISTERS = 33 /* x0 to x30, sp, pc */ };
static inline const uint64_t *uat_cpu_context_registers(const ucontext_t *context)
{
    return (const uint64_t *)context->uc_mcontext.regs;
}
static inline uintptr_t uat_cpu_context_sp(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.sp;
}
static inline uintptr_t uat_cpu_context_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.pc;
}
#else
enum { UAT_CPU_CONTEXT_REGISTERS = REG_RIP + 1 };
static inline const uint64_t *uat_cpu_context_registers(const ucontext_t *context)
{
    return (const uint64_t *)context->uc_mcontext.gregs;
}
static inline uintptr_t uat_cpu_context_sp(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}
static inline uintptr_t uat_cpu_context_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}
#endif

#endif
