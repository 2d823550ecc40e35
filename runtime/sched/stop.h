/* SPDX-License-Identifier: MIT */
/*
 * All workers stop, so that the state of the run can be written; then they continue. Orders and pokes are one-sided
 * operations. They need no signal and no help from the receiving CPU. Model: tests/model/claim.pml, lock.pml and
 * message.pml with -DSTOP.
 *
 *   ask      Rank 0 stops its own task first. Then it WRITEs the order to each worker. It pokes (uat_poke_fn) each
 *            worker that has not stopped, again and again.
 *   stop     A worker sees the order at its next slow path: a spawn, the end of a task, a join, a wait, the scheduler.
 *            A running task saves itself on its own stack and switches to the scheduler.
 *   still    The worker completes its own operations and releases global memory. Then it stores the order to `still`,
 *            which rank 0 READs.
 *   freeze   Once all are still, rank 0 announces this along a tree. Each worker takes its published entries back. Then
 *            it has only its chain, its lent records and its lent blocks.
 *
 *   K1  A worker becomes still only where its running task has saved itself on its own stack.
 *   K2  A still worker begins no operation, except that it refuses requests: a thief may wait for an answer.
 *   K3  Once all are still, every claim is acknowledged, and each stack lies in exactly one place. Acknowledgements are
 *       fire-and-forget, but they also complete before `still` is set.
 *   K4  "All are still" and the end of the run exclude each other: the worker that ends the root does not become still.
 *       An order that the end overtakes is void, and the request counts for the next run.
 *   K5  An order carries the number of its run and its own number. A worker stops once for each order. A request that
 *       arrives during a stop is served by the next stop.
 *   K6  A poke claims only an entry that a peek shows as valid, and aborts the claim at once. So it takes no work away.
 *
 * Only plain WRITEs and stores change the words of stops. Each word has one writer at a time, except `asked`: any
 * worker may set `asked`, always to the same value, and rank 0 clears it.
 */
#ifndef UAT_STOP_H
#define UAT_STOP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "deque/chain.h"
#include "include/uat.h"
#include "include/uat/detail/failure.h"
#include "runtime/sched/stop_request.h"
#include "runtime/segment/sections.h"

/* Reserve the words of stops in the segment. */
void uat_stop_reserve(void);

struct uat_stop_user {
    /* Called on all workers once all have stopped. chain: what this worker has. end: should the job end after the stop?
     * If the job continues, the function returns on all workers. Otherwise it does not return. On all workers alike,
     * returns whether it has replaced the workers' states, and so *chain. The stacks of the new chain must be in
     * place. Each worker then goes on with this chain, whatever it did before. */
    bool (*stopped)(struct uat_chain *chain, bool end);
};

/* Accept requests. *user is copied. Returns 0, or -ENOMEM, which has been reported. */
int uat_stop_open(const struct uat_stop_user *user);
void uat_stop_close(void);
/* As `reset` of struct uat_room. Requests that a signal handler of this process has noted stay: they are for the next
 * run. Those that were passed on to rank 0, and not served, are dropped. */
void uat_stop_reset(void);

/* Before a reset within a run: note again, in this process, the requests that the reset would drop, and those of a stop
 * that did not come to its end. */
void uat_stop_note_again(void);

/* Does the present stop serve a request, and not only uat_stop_for_copy? Rank 0 only. */
bool uat_stop_is_requested(void);

/* The argument of the child that starts next is in this process only (runtime/pack.c), so its push does not stop. */
extern bool uat_stop_postponed __attribute__((visibility("hidden")));

/* A run begins on this worker: orders of earlier runs are void. */
void uat_stop_run(void);

/* Does this worker have something that cannot be saved and that will soon be gone? If so, it refuses to stop, and rank
 * 0 tries again later. NULL: no. */
extern bool (*uat_stop_hindered)(void);

/* Does this worker have an order to stop? Passes a noted request on to rank 0. */
bool uat_stop_ordered(void);

/* Must this worker stop here? A few loads, on slow paths only. A task that has failed does not stop before its end,
 * because only this process knows of the failure. */
static inline bool uat_stop_wanted(void)
{
    return __builtin_expect(uat_stop_on, 0) && !uat_failing.yes && uat_stop_ordered();
}

/* Stop the running task, on its own stack. Returns when the run continues, perhaps in a later job. */
void uat_stop_task(void);

/* suspended_task of struct uat_worker points to this mark if uat_stop_task() has suspended the task. */
extern uat_task_t uat_stop_mark;

/* Stop this worker; called by the scheduler. sp: where its task will continue, or 0 if it has none. join: the child for
 * which the task waits in place, or NULL. If the stop's user has replaced the state, leaves what this worker does, by a
 * jump to uat_stop_back, on the scheduler's stack; this worker then goes on with uat_stop_chain(). */
extern jmp_buf uat_stop_back __attribute__((visibility("hidden")));
const struct uat_chain *uat_stop_chain(void);
void uat_stop_worker(uintptr_t sp, uat_task_t *join);

/* Called if this worker is ordered to stop but cannot. In that case no worker stops, and rank 0 tries the request again
 * later. */
void uat_stop_refuse(void);

/* Called when a task has polled without success. This worker then refuses an order to stop, because the awaited event
 * may have to come from a worker that has already stopped. The task itself cannot stop while it polls: it may be in a
 * generator, or in a catch block. */
void uat_stop_polled(void);

/* Nanoseconds from the last order until all workers were still. Rank 0 only. */
uint64_t uat_stop_ns(void);

/* Waiting tasks in a checkpoint: `save` and `restore` of the scheduler's descriptor. The stacks of waiting tasks, and
 * the objects that they wait for, are blocks of the evacuation heap, which runtime/checkpoint/state.c saves. The
 * functions below save the ready tasks, the sleeping tasks, and the number of tasks that wait. */

enum { UAT_WAITING_SECTIONS = 1 << UAT_SECTION_READY | 1 << UAT_SECTION_WAITS | 1 << UAT_SECTION_SLEEP };

void uat_waiting_save(struct uat_sections_out *out, int rank);
bool uat_waiting_restore(int rank, const struct uat_section *section);

#endif
