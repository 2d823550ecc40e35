/* SPDX-License-Identifier: MIT */
/*
 * The context switch, x86-64 System V.
 *
 * A continuation is a stack pointer. At it lie, upwards: r15 r14 r13 r12 rbx rbp and the return address, that is, what
 * a function call preserves; the rest of a suspended task's state is dead at a call. Of the floating-point state the
 * convention preserves only the control words (MXCSR's modes, the x87 control word). They are not switched, because
 * every worker runs with the same ones: a task that changes its rounding mode restores it before its next spawn or
 * join.
 *
 * Continuations are resumed with `jmp`, not `ret`: their return address was not pushed by the call that the
 * return-address predictor remembers, and a mispredicted return costs about 20 cycles.
 *
 * The stack's alignment and layout below a continuation's stack pointer (struct uat_frame, result, argument) are
 * described in spawn.S. Shadow stacks (CET) do not work with stacks that move, so the objects are not marked for them.
 */
#ifndef UAT_SWITCH_H
#define UAT_SWITCH_H

#include <stdint.h>

#include "include/uat.h"

/*
 * From the scheduler, on the process's own stack: continue at sp. Returns when that task, or one that ran after it on
 * the same uni-address region, ends without a spawner here or waits: UAT_EVENT_*.
 */
int uat_resume(uintptr_t sp);

/* From the scheduler: run fn(arg, result) as a task without a spawner; its frame lies below `sp`, its stack below
 * `arg`. */
int uat_start(uintptr_t sp, uat_fn *fn, void *arg, void *result);

/* Call fn(sp) on another stack, which begins at `stack`, a multiple of 16. sp is the stack pointer here: all that is
 * live of this stack lies at or above it, and fn finds it at rest. */
void uat_on_stack(uintptr_t stack, void (*fn)(uintptr_t sp));

/* From a task that has ended, on its stack: return to the scheduler, which gets UAT_EVENT_ENDED. */
_Noreturn void uat_leave(void);

/*
 * From a task: wait. Returns 0 when the task is resumed. The assembly calls uat_schedule_next(), which finds wait as
 * the suspended task, and goes on with what that says, or else returns UAT_EVENT_PARKED to the scheduler. So a switch
 * from one task to the next executes no return that the processor would mispredict.
 */
struct uat_park;
int uat_suspend(struct uat_park *wait);

/*
 * The same with wait->reply set to a place for a status and a value of 8 bytes, at first 0 and value. Returns -status;
 * if that is 0, the value is stored at `to` then, unless that is NULL.
 */
int uat_suspend_word(struct uat_park *wait, uint64_t value, void *to);

/* Called on the scheduler's stack once a task is suspended. The stack pointer to go on at, or 0 for nothing. */
uintptr_t uat_schedule_next(void) __attribute__((visibility("hidden")));

/* A word that lies at one place relative to fs in every thread: the stack protector's canary. */
static inline uint64_t uat_canary_get(void)
{
    uint64_t canary;
    __asm__ volatile("mov %%fs:0x28, %0" : "=r"(canary));
    return canary;
}
static inline void uat_canary_set(uint64_t canary)
{
    __asm__ volatile("mov %0, %%fs:0x28" : : "r"(canary) : "memory");
}

#endif
