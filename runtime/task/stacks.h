/* SPDX-License-Identifier: MIT */
/*
 * Where the stacks of tasks lie. The library knows uni-address: the stacks of a worker's tasks follow one another in
 * the region, and the stack of a waiting task is copied to the evacuation heap. A program may link one other mode, for
 * comparisons: papers/berth.h. The functions below are called on slow paths only. With uni-address they do nothing, or
 * return what uni-address needs.
 */
#ifndef UAT_STACKS_H
#define UAT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat.h"
#include "runtime/task/worker.h"
#include "runtime/segment/frame.h"

struct uat_waiter;

/* Another mode than uni-address. A waiting joiner stays where it is, and every push and pop takes the slow path. */
struct uat_stack_mode {
    /* Check the settings. Returns 0, or -EINVAL, which has been reported. */
    int (*check)(void);
    void (*reserve)(void); /* memory in the segment */
    /* After uat_segment_open() and uat_deque_open(); sets uat_worker.deque.placing. Returns 0 or a negative errno that
     * has been reported. */
    int (*open)(void);
    void (*close)(void);
    uintptr_t (*take)(void);                          /* a stack for a task without a spawner; returns its base */
    void (*free)(uintptr_t base);                     /* see uat_stacks_free() */
    uintptr_t (*enter)(uintptr_t sp, uintptr_t low);  /* see uat_stacks_enter() */
    uintptr_t (*leave)(uintptr_t base, uintptr_t sp); /* see uat_stacks_leave() */
    struct uat_frame *(*child)(uintptr_t sp);         /* see uat_stacks_child() */
    void (*arrived)(uintptr_t sp, uintptr_t base, bool steal);        /* see uat_stacks_arrived() */
    void (*check_stack)(uintptr_t sp, uintptr_t entry);               /* see uat_stacks_check() */
    void (*check_room)(uintptr_t sp, size_t bytes, const char *what); /* see uat_stacks_check_room() */
    /* The child of a waiting joiner has ended here: bring the joiner, and settle the join. Returns its stack
     * pointer. */
    uintptr_t (*resume)(const struct uat_waiter *waiter, uint64_t record, uat_task_t *task);
    uint64_t (*pages)(void); /* pages of stacks that this worker has touched */
    size_t page;             /* bytes of a page */
};

/* The mode of this job; NULL: uni-address. */
extern const struct uat_stack_mode *uat_stacks;

/* The mode that this program links, or NULL. papers/ sets it before main() starts. */
extern const struct uat_stack_mode *uat_stacks_linked;

/* Choose the mode that UAT_STACKS names. Returns 0, or a negative errno that has been reported: -ENOTSUP if this
 * program does not link the mode. Call it before the other functions. */
int uat_stacks_choose(void);

void uat_stacks_reserve(void);
int uat_stacks_open(void);
void uat_stacks_close(void);

/* Free the stack of the task that has ended on this worker. */
static inline void uat_stacks_free(uintptr_t base)
{
    if (uat_stacks)
        uat_stacks->free(base);
}

/* A spawn: move [low, sp), the child's frame, result and argument, to the child's stack. Returns the base of that
 * stack. */
static inline uintptr_t uat_stacks_enter(uintptr_t sp, uintptr_t low)
{
    return uat_stacks ? uat_stacks->enter(sp, low) : sp;
}

/* The end of the task at `base` on the worker that has its spawner's continuation, at sp: frame and result are below sp
 * afterwards. Returns sp. */
static inline uintptr_t uat_stacks_leave(uintptr_t base, uintptr_t sp)
{
    return uat_stacks ? uat_stacks->leave(base, sp) : sp;
}

/* The frame of the child that the continuation at sp has spawned. */
static inline struct uat_frame *uat_stacks_child(uintptr_t sp)
{
    return uat_stacks ? uat_stacks->child(sp) : uat_frame_at(sp);
}

/* The base of the running task, which calls this function. */
static inline __attribute__((always_inline)) uintptr_t uat_stacks_running_base(void)
{
    return uat_deque_base_of(&uat_worker.deque, (uintptr_t)__builtin_frame_address(0));
}

/* The stack [sp, base) has come to this worker: by a steal, or as a task that waited. */
static inline void uat_stacks_arrived(uintptr_t sp, uintptr_t base, bool steal)
{
    if (uat_stacks)
        uat_stacks->arrived(sp, base, steal);
}

/* End the job if the task whose stack pointer is sp has left its stack, or is about to. entry: the task's deque entry,
 * the youngest one while the task runs. */
static inline void uat_stacks_check(uintptr_t sp, uintptr_t entry)
{
    if (uat_stacks)
        uat_stacks->check_stack(sp, entry);
}

/* End the job if `bytes` bytes do not fit on this stack below sp. what: for the message. */
static inline void uat_stacks_check_room(uintptr_t sp, size_t bytes, const char *what)
{
    if (uat_stacks)
        uat_stacks->check_room(sp, bytes, what);
}

#endif
