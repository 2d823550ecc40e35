/* SPDX-License-Identifier: MIT */
/*
 * The context switch, x86-64 System V.
 *
 * A continuation is a stack pointer. At it lie, upwards: r15 r14 r13 r12 rbx rbp and the return address, that is, what
 * a function call preserves; the rest of a suspended task's state is dead at a call. Of the floating-point state the
 * convention preserves only the control words (MXCSR's modes, the x87 control word). They are not switched, because all
 * workers run with the same control words: a task that changes its rounding mode must restore it before its next spawn
 * or join.
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
 * Called by the scheduler, on the process's own stack: continue at sp. Returns UAT_EVENT_* when that task, or one that
 * ran after it in the same uni-address region, waits, or ends without a spawner here.
 */
int uat_resume(uintptr_t sp);

/* Called by the scheduler: run fn(arg, result) as a task without a spawner. Its frame lies below `sp`, its stack below
 * `arg`. */
int uat_start(uintptr_t sp, uat_fn *fn, void *arg, void *result);

/* Call fn(sp) on another stack, whose top is `stack`, a multiple of 16. sp is the stack pointer here: everything live
 * on this stack lies at or above it, and nothing there changes while fn runs. */
void uat_on_stack(uintptr_t stack, void (*fn)(uintptr_t sp));

/* Called by a task that has ended, on its stack: return to the scheduler, which gets UAT_EVENT_ENDED. */
_Noreturn void uat_leave(void);

/* Called by a task that has no views: join a child that lives elsewhere. Returns when the child has ended. */
void uat_join_suspend(uat_task_t *t);

/*
 * Called by a task: wait. Returns 0 when the task is resumed. The assembly calls uat_schedule_next(), which finds
 * `wait` in uat_worker, and continues at the stack pointer that it returns; if that is 0, it returns UAT_EVENT_PARKED
 * to the scheduler. So a switch from one task to the next executes no return that the processor would mispredict.
 */
struct uat_park;
int uat_suspend(struct uat_park *wait);

/*
 * uat_suspend() with a reply of one word: wait->reply points to a status, at first 0, and a value of 8 bytes, at first
 * `value`. Returns -status. If the status is 0, the value is stored at `to`, unless that is NULL.
 */
int uat_suspend_word(struct uat_park *wait, uint64_t value, void *to);

/* Called on the scheduler's stack once a task is suspended. Returns the stack pointer to continue at, or 0 if nothing
 * is runnable. */
uintptr_t uat_schedule_next(void) __attribute__((visibility("hidden")));

#endif
