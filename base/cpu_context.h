/* SPDX-License-Identifier: MIT */
/* The places of the registers in a signal's context, and steps of one instruction. */
#ifndef UAT_CPU_CONTEXT_H
#define UAT_CPU_CONTEXT_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * uat_cpu_context_step() makes a thread that returns to this context execute one instruction and then get a SIGTRAP, or
 * no longer do so. Returns false if the processor cannot do it.
 *
 * UAT_CPU_COPY_RELOCATION: the relocation by which the loader puts a library's variable into the program.
 */
#ifdef __aarch64__
enum { UAT_CPU_COPY_RELOCATION = R_AARCH64_COPY };
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
static inline bool uat_cpu_context_step(ucontext_t *context, bool on)
{
    (void)context;
    (void)on;
    return false; /* only a debugger can do it */
}
#else
enum { UAT_CPU_COPY_RELOCATION = R_X86_64_COPY };
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
static inline bool uat_cpu_context_step(ucontext_t *context, bool on)
{
    const greg_t trap = 1 << 8; /* the trap flag */
    context->uc_mcontext.gregs[REG_EFL] = (context->uc_mcontext.gregs[REG_EFL] & ~trap) | (on ? trap : 0);
    return true;
}
#endif

#endif
