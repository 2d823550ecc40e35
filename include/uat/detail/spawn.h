/* SPDX-License-Identifier: MIT */
/*
 * The spawn of a typed task, inline: the common case of uat_spawn_typed() without a call. On x86-64 this saves a call
 * and a return, and all sizes are constants (docs/performance.md has the figures). Everything else calls
 * uat_spawn_typed(): a push or an end that needs the slow path, results of other sizes, other processors, programs
 * without optimisation, programs that are profiled or checked, C++, and programs with -DUAT_NO_INLINE_SPAWN. A function
 * with __attribute__((target("avx512f"))) in a file that is compiled without AVX-512 needs this option, if it keeps
 * floating-point values across a spawn: gcc does not let the assembly name registers that the file does not have.
 * Included by uat.h.
 */
#ifndef UAT_DETAIL_SPAWN_H
#define UAT_DETAIL_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "uat/detail/registers.h"

#if defined(__x86_64__) && defined(__LP64__)

#pragma GCC visibility push(default)

/*
 * The part of a worker that a spawn uses. deque/owner.h describes the first four fields. Only assembly may name the
 * variable: a compiler might let the program have a copy of it (copy relocation), but the library uses another name.
 */
struct uat_spawn_words {
    uintptr_t *top;
    const uint64_t *look;
    uint64_t push_claims, pop_claims;
    uint64_t others[28];
    uint64_t tasks; /* number of tasks spawned here */
};
extern struct uat_spawn_words uat_spawn_words;

/* Where the inline spawn goes if the child's end needs the slow path. rdx: the spawner's continuation. Never called. */
void uat_spawn_end(void);

#pragma GCC visibility pop

/* Bytes of the saved registers, and of struct uat_frame below them. */
#define UAT_SPAWN_SAVED 48
#define UAT_SPAWN_FRAME 24

/* No inline spawn without CFI directives, because a backtrace must end at the child's start. Calls do not preserve the
 * registers of APX and AMX, and not all compilers can declare these registers as clobbered. In C++ a task's body may be
 * a template, whose address is no constant in position-independent code. */
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && defined(__GCC_HAVE_DWARF2_CFI_ASM) && defined(__SSE2__) && \
    !defined(__APX_F__) && !defined(__AMX_TILE__) && !defined(UAT_PROFILE) && !defined(UAT_RACES) &&                   \
    !defined(UAT_DEBUG) && !defined(UAT_NO_INLINE_SPAWN) && !defined(__cplusplus)

/*
 * uat_spawn_typed() with a result of `size` bytes. Returns 0 if nothing was done: the caller must then call
 * uat_spawn_typed().
 *
 * The stack is that of asm/x86_64/spawn.S. The continuation's pc is the end of the assembly. The assembly saves the
 * registers that a call preserves, except r15. r15 is declared as clobbered, so the continuation may resume with any
 * value in it. The clobber also makes the compiler set up the function's frame before the assembly. The caller's call
 * of uat_spawn_typed() makes the compiler align the stack, and keep no data below the stack pointer (no red zone).
 *
 * The load of *look is relaxed: its value only decides whether to take the slow path. It pairs with the thieves'
 * atomics in uat_thief_claim(). The stores need no fence: see asm/x86_64/spawn.S.
 */
static inline __attribute__((always_inline)) int uat_spawn_inline(uat_task_t *t, uat_fn *fn, const void *arg,
                                                                  void *result, size_t size)
{
    const struct uat_spawn_words *words;
    const size_t room = (size + 7) / 8 * 8; /* the result, rounded up */
    const size_t base =
        size ? UAT_SPAWN_FRAME + 16 : UAT_SPAWN_FRAME; /* from the child's call up to the continuation */

    if (size != 0 && size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
        return 0;
    __asm__("movq uat_spawn_words@GOTPCREL(%%rip), %0" : "=r"(words));
    if (__builtin_expect(__atomic_load_n(words->look, __ATOMIC_RELAXED) != words->push_claims, 0))
        return 0;
    t->record = 0;
    t->result = result;
    __asm__ volatile(
        ".cfi_remember_state\n\t"
        ".cfi_undefined rip\n\t" /* backtraces end here: above is the spawner's frame, or no frame */
        "leaq 1f(%%rip), %%rax\n\t"
        "movq uat_spawn_words@GOTPCREL(%%rip), %%r15\n\t" /* every call preserves r15 */
        "pushq %%rax\n\t"
        "pushq %%rbp\n\t"
        "movq (%%r15), %%rcx\n\t"
        "leaq -40(%%rsp), %%rax\n\t" /* the continuation */
        "subq $40 + %c[base], %%rsp\n\t"
        "movq %%rbx, 32(%%rax)\n\t"
        "movq %%r12, 24(%%rax)\n\t"
        "movq %%r13, 16(%%rax)\n\t"
        "movq %%r14, 8(%%rax)\n\t"
        "movq %%rdx, -%c[frame](%%rax)\n\t"       /* task */
        "movq %[size], 16 - %c[frame](%%rax)\n\t" /* result_size, and 0 to pending above it */
        "movq %%rax, (%%rcx)\n\t"                 /* faults if the array of entries is full */
        "addq $8, %%rcx\n\t"
        "movq %%rcx, (%%r15)\n\t"
        "incq %c[tasks](%%r15)\n\t"
        "leaq %c[slot](%%rsp), %%rsi\n\t"
        "call %P[fn]\n\t"
        "movq (%%r15), %%rax\n\t"
        "movq %c[look](%%r15), %%rcx\n\t"
        "leaq %c[base](%%rsp), %%rdx\n\t"
        "movq %c[pop](%%r15), %%rdi\n\t"
        "cmpq %%rdx, -8(%%rax)\n\t" /* is the spawner's continuation still here and unpublished? */
        "jne uat_spawn_end@PLT\n\t"
        "cmpq %%rdi, (%%rcx)\n\t"
        "jne uat_spawn_end@PLT\n\t"
        "subq $8, %%rax\n\t"
        "movq %%rax, (%%r15)\n\t"
        "movq -%c[frame](%%rdx), %%rax\n\t"
        "movq 8(%%rax), %%rax\n\t" /* t->result */
        ".if %c[size] == 1\n\t"
        "movb %c[slot](%%rsp), %%cl\n\t"
        "movb %%cl, (%%rax)\n\t"
        ".elseif %c[size] == 2\n\t"
        "movw %c[slot](%%rsp), %%cx\n\t"
        "movw %%cx, (%%rax)\n\t"
        ".elseif %c[size] == 4\n\t"
        "movl %c[slot](%%rsp), %%ecx\n\t"
        "movl %%ecx, (%%rax)\n\t"
        ".elseif %c[size]\n\t"
        "movq %c[slot](%%rsp), %%rcx\n\t"
        "movq %%rcx, (%%rax)\n\t"
        ".endif\n\t"
        ".if %c[size] == 16\n\t"
        "movq 8 + %c[slot](%%rsp), %%rcx\n\t"
        "movq %%rcx, 8(%%rax)\n\t"
        ".endif\n\t"
        "addq $56 + %c[base], %%rsp\n\t"
        ".cfi_restore_state\n"
        "1:"
        : "+D"(arg), "+d"(t)
        : [fn] "i"(fn), [size] "i"(size), [base] "i"(base), [frame] "i"(UAT_SPAWN_FRAME),
          [slot] "i"(base - UAT_SPAWN_FRAME - room), [look] "i"(offsetof(struct uat_spawn_words, look)),
          [pop] "i"(offsetof(struct uat_spawn_words, pop_claims)), [tasks] "i"(offsetof(struct uat_spawn_words, tasks))
        : "rax", "rcx", "rsi", "r8", "r9", "r10", "r11", "r15", "cc", "memory", UAT_LOST_VECTORS);
    return 1;
}
#define UAT_SPAWN_INLINE(t, fn, arg, result, size) uat_spawn_inline(t, fn, arg, result, size)
#endif

#endif

#ifndef UAT_SPAWN_INLINE
#define UAT_SPAWN_INLINE(t, fn, arg, result, size) 0
#endif

#endif
