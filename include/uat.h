/* SPDX-License-Identifier: MIT */
/*
 * uat: uni-address threads, a distributed fork-join runtime for InfiniBand clusters.
 *
 * A program is ordinary recursive C:
 *
 *     UAT_TASK(long, fib, long, n)
 *     {
 *         fib_task left;
 *         if (n < 2)
 *             return n;
 *         fib_spawn(&left, n - 1);
 *         long right = fib(n - 2);
 *         return fib_join(&left) + right;
 *     }
 *
 *     int main(void)
 *     {
 *         long answer;
 *         if (uat_init() < 0 || fib_run(&answer, 30) < 0)
 *             return 1;
 *         if (uat_rank() == 0)
 *             printf("%ld\n", answer);
 *         return uat_finalize() < 0;
 *     }
 *
 * A spawn runs a function as a child task. Meanwhile an idle worker, in another process and perhaps on another host,
 * may steal the rest of the caller. A join waits for the child. A stolen task keeps its stack addresses, so pointers
 * into its own frames stay valid. docs/rules.md and uat(7) give the rules for task code.
 *
 * The scheme is that of Akiyama and Taura, "Uni-Address Threads: Scalable Thread Management for RDMA-Based Work
 * Stealing", HPDC'15. Joins are greedy, as in Shiina and Taura, Cluster'22.
 */
#ifndef UAT_H
#define UAT_H

#include <stddef.h>
#include <stdint.h>

#include "uat/detail/inline.h"
#include "uat/detail/profile.h"
#include "uat/detail/sanitize.h"
#include "uat/detail/task.h"
#include "uat/stats.h"

#define UAT_VERSION "0.3.0"

/*
 * Typed tasks. UAT_TASK(type, name, type1, arg1, ...) { body } defines the function `type name(type1 arg1, ...)`, with
 * up to eight parameters. The macro also defines
 *     name_task                                the handle of a child, result included
 *     void name_spawn(name_task *, arg1, ...)  uat_spawn()
 *     void name_spawn_on(name_task *, int rank, arg1, ...)  uat_spawn_on()
 *     type name_join(name_task *)              uat_join(); returns the result
 *     int  name_run(type *result, arg1, ...)   uat_run()
 *     void name_group_spawn(uat_group_t *, arg1, ...)  uat_group_spawn(); drops the result
 *     void name_group_spawn_on(uat_group_t *, int rank, arg1, ...)  uat_group_spawn_on(); drops the result
 * UAT_TASK_VOID(name, ...) does this for a function without a result: name_run() then takes only the arguments.
 * UAT_TASK_DECLARE and UAT_TASK_VOID_DECLARE are for mutual recursion. These two macros declare everything above. The
 * program then defines the function itself, as `static type name(type1 arg1, ...)`.
 *
 * Types may be aligned to at most 64 bytes. An array must be in a struct. A type with a comma needs a typedef.
 */
#define UAT_TASK(type, ...)                                                                                            \
    UAT_TASK_DECLARE(type, __VA_ARGS__)                                                                                \
    static type UAT_HEAD(__VA_ARGS__)

#define UAT_TASK_VOID(...)                                                                                             \
    UAT_TASK_VOID_DECLARE(__VA_ARGS__)                                                                                 \
    static void UAT_HEAD(__VA_ARGS__)

#define UAT_TASK_DECLARE(type, ...) UAT_CAT(UAT_DECLARE_, UAT_FORM(__VA_ARGS__))(type, __VA_ARGS__)

#define UAT_TASK_VOID_DECLARE(...) UAT_CAT(UAT_VOID_DECLARE_, UAT_FORM(__VA_ARGS__))(__VA_ARGS__)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Start the runtime. Collective, the first call in main(). It may re-execute the program with address-space
 * randomisation turned off, so the program must not have external effects before the call. A program that was started
 * by uatrun, srun --mpi=pmix or another PMIx launcher joins that launcher's job. A program without a launcher is a job
 * of one worker. Returns 0. On failure it prints one line on stderr that says what to do, and returns a negative errno:
 *   -EINVAL    a UAT_* variable is invalid, or the workers differ in their settings
 *   -ENOMEM    there is no memory for the segment
 *   -EEXIST    the segment's address is taken
 *   -EALREADY  uat_init() was called before: a process takes part in one job only, even after uat_finalize()
 */
int uat_init(void);

/* Leave the job. Collective, the last call. Returns 0 or a negative errno. */
int uat_finalize(void);

/*
 * Rank of this worker, 0 <= rank < uat_size(), and number of workers. Inside a task the rank may change at every spawn
 * and join, because these may move the task to another worker. Before uat_init(), uat_rank() returns 0 and uat_size()
 * returns 1.
 */
int uat_rank(void);
int uat_size(void);

/*
 * Change the number of workers that take part in this and later runs, up to the next call: those of ranks 0 to n - 1.
 * Call it in a task. The call returns at once; no run stops. A worker of a higher rank hands its tasks over when its
 * task next spawns, waits or ends, and then sleeps. A lower rank that sleeps takes work again. A worker that
 * sleeps keeps its rank and its memory. It wakes up for tasks that uat_migrate() or uat_spawn_on() sends to it, for
 * checkpoints, and for the end of the run. If several tasks call uat_resize() at the same time, all workers get the
 * same one of these numbers. A job that continues from a checkpoint starts with all workers.
 * Costs one or two round trips for each worker. Returns 0, or an error, which has been reported: -EINVAL if n is not 1
 * to uat_size(); -ENOTSUP with UAT_STACKS=iso, or in a job of more than 1024 workers.
 */
int uat_resize(int n);

/* The number of workers that take part, as far as this worker has heard: uat_size() without those that have handed
 * their tasks over. A change of uat_resize() shows a moment later. */
int uat_workers(void);

/*
 * Untyped tasks. UAT_TASK expands to these. A task's body: arg points to the task's own copy of the argument, and
 * result to its own result buffer, except in a group (uat_group_spawn()). Both are aligned to 8 bytes and are in the
 * task's stack segment.
 */
typedef void uat_fn(void *arg, void *result);

/*
 * The spawner's handle of one child. It must be in the spawner's frame. From uat_spawn() to the end of uat_join() it
 * belongs to the runtime. It needs no initialisation and may be used again after the join. Child and spawner part when
 * the spawner's continuation is published to thieves, or when the child waits, migrates or fails. Before that, and
 * after the join, `record` is 0.
 */
typedef struct uat_task {
    uint64_t record; /* the join record, as (rank << 48) | address; 0: see above */
    void *result;    /* the spawner's buffer for the result */
    uint64_t size;   /* bytes of the result; set only while record is not 0 */
    UAT_PROFILE_CHILD
} uat_task_t;

/*
 * Run one task tree. Collective, outside of tasks, any number of times. Only rank 0's root, arg and sizes are used; the
 * other ranks may pass NULL and 0 for them. Every rank receives the result, in a buffer that it must provide. arg is
 * copied (arg_size bytes). result_size is at most UAT_RESULT_MAX (1024 bytes by default). Returns 0 or a negative
 * errno, the same on all ranks. The rank on which an error occurs prints one line on stderr. The errors are:
 *   -EINVAL    a pointer is NULL
 *   -EMSGSIZE  result_size is above UAT_RESULT_MAX, or below rank 0's and not 0; or arg_size is too large
 */
int uat_run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size);

/*
 * Run fn as a child task; meanwhile the caller's continuation may be stolen. arg is copied (arg_size bytes). *result
 * (result_size bytes, in the caller's frame, or NULL with size 0) is set when the join returns. Call it only inside a
 * task. It cannot fail: an error (stack or result too large) ends the job with a message.
 */
void uat_spawn(uat_task_t *t, uat_fn *fn, const void *arg, size_t arg_size, void *result, size_t result_size);

/*
 * Wait for the child. Afterwards its result is in the buffer that was passed to uat_spawn(). The task that spawned a
 * child must join it exactly once. Children may be joined in any order. After a join the task may be on another worker.
 */
UAT_INLINE void uat_join(uat_task_t *t);

/*
 * Move the calling task to the worker of this rank, the target. This worker then continues the caller's spawner. The
 * caller continues when the target's deque is empty: the target's running task has ended or waits, and all
 * continuations of the target have run or were stolen. The caller stays on the target until it next spawns, joins or
 * waits. So code runs where its data are after uat_migrate(uat_global_home(p)) (see uat/global.h). On the target itself
 * the call does nothing. Call it only inside a task, and not while ranges of global memory are checked out. A rank that
 * is not in this job, or a call outside of a task, ends the job with a message.
 */
void uat_migrate(int rank);

/*
 * uat_spawn() of a child that starts on the worker `rank`: the child calls uat_migrate(rank) first. X10's places and
 * Chapel's on-statement work in the same way. The caller continues at once. The child takes a join record, and its
 * stack takes a block of the evacuation heap. If rank is this worker's, the call is equal to uat_spawn().
 */
void uat_spawn_on(uat_task_t *t, int rank, uat_fn *fn, const void *arg, size_t arg_size, void *result,
                  size_t result_size);

/*
 * Task groups: any number of children, spawned in a loop or along a list, with one wait for all of them. One group
 * replaces the handles of all its children. The children's results are dropped.
 *
 *     uat_group_t group;
 *     uat_group_begin(&group);
 *     for (struct node *n = list; n; n = n->next)
 *         visit_group_spawn(&group, n->value);       from UAT_TASK(..., visit, ...)
 *     uat_group_wait(&group);
 *
 * A group must be in the frame of the task that begins it. Only this task may spawn into it and wait for it. A task may
 * have several groups at a time, and its children may have groups of their own. The fields belong to the library.
 */
typedef struct uat_cancel {
    uint64_t object, serial; /* object 0: the handle of a group that is never cancelled */
} uat_cancel_t;

typedef struct uat_group {
    UAT_GROUP_HANDLE task;  /* the handle of the child that is being spawned */
    uint64_t record;        /* the join record of the children that have parted from the spawner, or 0 */
    uint64_t parted;        /* number of these children since the last wait */
    struct uat_group *self; /* the group's own address, by which a copy of the group is detected */
    uat_cancel_t cancel;    /* the handle that cancels this group, or 0 */
    uat_cancel_t outer;     /* `cancel` of the enclosing group; differs from this group's `cancel` if this group is
                             * cancellable */
    UAT_PROFILE_GROUP
} uat_group_t;

/* Make an empty group. After a spawn into the group, the task must wait for the group before the task ends. An empty
 * group needs no wait. */
UAT_INLINE void uat_group_begin(uat_group_t *group);

/*
 * Cancellation. A cancelled group, and each group begun in it, starts no more children: uat_group_spawn() returns
 * without calling fn. Running children may check uat_cancelled() and return early. The wait still waits for all
 * children that have started.
 *
 * uat_group_make_cancellable() makes a group cancellable. Only the task that began the group may call it, before the
 * first spawn into the group. It returns a handle, which the program passes to children as an argument. A task that has
 * the handle can cancel the group and check whether the group was cancelled. uat_group_wait() ends the handle's
 * validity; afterwards the group is no longer cancellable.
 *
 * uat_group_begin_in() begins a group that is cancelled when the handle's group is cancelled. It is for the children of
 * that group.
 *
 * uat_group_cancel() may be called by any task of the group, any number of times. The call does not order accesses to
 * memory. So pass the result of a search through an object of uat/sync.h or an atomic, or read the result after the
 * wait.
 *
 * uat_cancelled() returns 1 if the handle's group or an enclosing one was cancelled, else 0. Two workers see the
 * cancellation at once: the worker that cancelled the group, and the group's home (the worker on which the group was
 * made cancellable). Any other worker caches an answer for 50 us (UAT_CANCEL_AGE_NS). A later call takes one round trip
 * for each group (the handle's and the enclosing ones) whose home is another worker.
 *
 * These errors end the job with a message: using a handle that was never made; using a handle after the wait; no room
 * in UAT_HEAP_SIZE.
 */
enum { UAT_CANCEL_AGE_NS = 50000 };
uat_cancel_t uat_group_make_cancellable(uat_group_t *group);
void uat_group_cancel(uat_cancel_t cancel);
int uat_cancelled(uat_cancel_t cancel);
UAT_INLINE void uat_group_begin_in(uat_group_t *group, uat_cancel_t outer);

/*
 * Run fn as a child task of the group; meanwhile the caller's continuation may be stolen. arg is copied (arg_size
 * bytes). fn must not write to its `result`, which points to no buffer. Only the task that began the group may call
 * this. The errors are those of uat_spawn().
 */
UAT_INLINE void uat_group_spawn(uat_group_t *group, uat_fn *fn, const void *arg, size_t arg_size);

/* uat_group_spawn() of a child that starts on the worker `rank`: see uat_spawn_on(). */
UAT_INLINE void uat_group_spawn_on(uat_group_t *group, int rank, uat_fn *fn, const void *arg, size_t arg_size);

/*
 * Wait for all children of the group. Afterwards the group is empty and may be used again, and the task may be on
 * another worker. A wait for an empty group returns at once. If a task ends without this wait while a child is on
 * another worker, the job ends with a message.
 */
UAT_INLINE void uat_group_wait(uat_group_t *group);

/* Does this process take part in a job? Returns 1 from the success of uat_init() to the call of uat_finalize(), else 0.
 * A child of fork() does not take part. May be called at any time. */
int uat_is_running(void);

/*
 * Is the caller in a task, so that it may spawn, join and wait? Returns 1 in the root of uat_run() and its descendants,
 * in their functions, loops and generators; else 0. In a signal handler on another stack, and in another thread of the
 * program, it returns 0 even if a task runs meanwhile. So a library function may choose between a parallel loop and
 * uat_run(). May be called at any time.
 */
int uat_in_task(void);

/* Barrier over all workers. Collective, outside uat_run(). Returns 0 or a negative errno. */
int uat_barrier(void);

/*
 * Copy rank 0's n bytes at p to every worker, as read-only input data for tasks. The copy has the same address on all
 * workers, and the workers of a host share one copy. It exists until uat_replicate_free() or uat_finalize().
 * Collective, outside uat_run(); only rank 0's p and n are used. The caller keeps p. Returns the address. On
 * failure, returns NULL on all ranks and sets errno.
 */
void *uat_replicate(const void *p, size_t n);

/*
 * Free a copy that uat_replicate() returned. Collective, outside uat_run(). All ranks must pass the same address. If
 * all pass NULL, the call does nothing. Returns 0. If the address is not that of a copy, or the ranks pass different
 * addresses, the call prints a line and returns -EINVAL.
 */
int uat_replicate_free(void *replica);

/*
 * The current value of a setting, as text. The names are "transport", "transport_reason", "deque", "torture", "time"
 * (real or virtual) and "launcher". Returns NULL for any other name, for NULL, before uat_init() and after
 * uat_finalize(). The string belongs to the runtime.
 */
const char *uat_setting(const char *name);

/*
 * The time of a monotonic clock in nanoseconds, for intervals on one worker. The clock is CLOCK_MONOTONIC. In a
 * simulation (UAT_TRANSPORT=sim) it is virtual time, which starts at 0 and is the same for all workers.
 */
uint64_t uat_time_ns(void);

/* Tell a simulation that the caller computes for ns nanoseconds. Does nothing without a simulation. See
 * docs/simulation.md. */
void uat_sim_work(uint64_t ns);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "uat/detail/spawn.h"
#include "uat/detail/uat.h" /* the bodies of the inline functions above */

#endif
