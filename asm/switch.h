/* SPDX-License-Identifier: MIT */
/*
 * The context switch. This text describes x86-64 (System V). asm/aarch64/continuation.h and asm/aarch64/switch.S
 * describe the differences on aarch64.
 *
 * A continuation is a stack pointer. From this address upwards, the stack contains r15 r14 r13 r12 rbx rbp and the
 * return address. These are the callee-saved registers. All other registers are dead at a call. A call preserves only
 * the control words of the floating-point state (MXCSR's modes, the x87 control word). The switch does not save the
 * control words, because they are the same in all workers. So a task that changes its rounding mode must restore the
 * mode before its next spawn or join.
 *
 * The switch resumes a continuation by `jmp`, not by `ret`. The last call that the return-address predictor remembers
 * did not push the continuation's return address. So the processor would mispredict a `ret`, which costs about 20
 * cycles.
 *
 * spawn.S describes the stack below a continuation's stack pointer: its alignment, struct uat_frame, result and
 * argument. Shadow stacks (CET) do not work with stacks that move, so the assembly is not marked for shadow stacks,
 * and therefore the library is not.
 */
#ifndef UAT_SWITCH_H
#define UAT_SWITCH_H

#include <stdint.h>

#include "include/uat.h"

/*
 * Called by the scheduler, on the process's own stack: continue at sp. Returns UAT_EVENT_* when the running task waits,
 * or when it ends and its spawner is elsewhere. The running task is the task at sp, or another one that has run after
 * it in the same uni-address region.
 */
int uat_resume(uintptr_t sp);

/* Called by the scheduler: run fn(arg, result) as a task without a spawner. The task's frame is below `sp`, and its
 * stack is below `arg`. Returns as uat_resume() does. */
int uat_start(uintptr_t sp, uat_fn *fn, void *arg, void *result);

/* Call fn(sp) on another stack, whose top is `stack`, a multiple of 16. sp is the current stack pointer. All live data
 * of the current stack are at or above sp. They do not change while fn runs. */
void uat_on_stack(uintptr_t stack, void (*fn)(uintptr_t sp));

/* Called by a task that has ended, on its stack: return to the scheduler, which gets UAT_EVENT_ENDED. */
_Noreturn void uat_leave(void);

/* Called by a task without views: join a child that is elsewhere. Returns when the child has ended. */
void uat_join_suspend(uat_task_t *t);

/*
 * Called by a task: wait. Returns 0 when the task is resumed. The assembly calls uat_schedule_next(), which finds
 * `wait` in uat_worker. If uat_schedule_next() returns a stack pointer, the assembly jumps to the task there. Such a
 * switch from task to task executes no return that the processor would mispredict. If uat_schedule_next() returns 0,
 * the assembly returns UAT_EVENT_PARKED to the scheduler.
 */
struct uat_park;
int uat_suspend(struct uat_park *wait);

/*
 * uat_suspend() with a reply of one word. wait->reply points to the reply, which is a status and a value of 8 bytes.
 * Before the task waits, the status is 0 and the value is `value`. When the task resumes, the function returns -status.
 * If that is 0 and `to` is not NULL, the function stores the value at `to`.
 */
int uat_suspend_word(struct uat_park *wait, uint64_t value, void *to);

/* Called on the scheduler's stack after a task has been suspended. Returns the stack pointer at which to continue, or 0
 * if no task is runnable. */
uintptr_t uat_schedule_next(void) __attribute__((visibility("hidden")));

#endif
