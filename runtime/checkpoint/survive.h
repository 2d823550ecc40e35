/* SPDX-License-Identifier: MIT */
/*
 * A job survives the loss of a worker other than rank 0 inside of a run (UAT_CHECKPOINT=...,survive=TIME). Model:
 * tests/model/loss.pml.
 *
 *   copy     When a run begins, and then every TIME, all workers copy their state to memory objects (copy.h).
 *   spare    When a run begins, each worker but rank 0 forks a spare process. It has the worker's process memory of
 *            that moment, shares its segment and its copies, and waits. It is a child of uatrun, because the process
 *            between them ends at once.
 *   notice   uatrun sees the end of the worker. It raises the gate (base/survival.h), and lets the spare process take
 *            the rank over. Waiting loops and slow paths look at the gate. The survivors leave what they do by a jump
 *            to uat_survive_back.
 *   back     All workers, the former spare process included, reset their memory and restore it from the copy. They meet
 *            before, between and after, on words that no reset clears. Then the run goes on from the copy.
 *
 *   Z1  A copy is committed once all workers have made it. It never overwrites the copy that is committed: copies take
 *       turns in two places.
 *   Z3  The words of meetings belong to one loss. Whoever waits there for a worker that is lost, too, sees the gate.
 *   Z4  The workers first meet when each has completed its operations. Only then does any of them reset its memory.
 *   Z5  The way back only reads the copy. A further loss begins it again.
 *   Z6  Nobody works before all memory is restored.
 *   Z7  The time from one copy to the next is at least four times the time that the last one took with its stop,
 *       because a stop comes before any work.
 *   Z8  A loss is survived only while the gate is open. Rank 0 opens it when all workers have copies and spare
 *       processes, and closes it when all have the run's result, or when the checkpoint that ends the job is complete.
 *       Nobody leaves the run before that.
 */
#ifndef UAT_SURVIVE_H
#define UAT_SURVIVE_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>

#include "deque/chain.h"

/* Are losses survived in this job? */
extern bool uat_survive_on __attribute__((visibility("hidden")));

/* Refuse what survive= cannot be combined with, and join uatrun's words. caught: the handler of SIGUSR2 is this
 * library's. hindered: has the program called uat_checkpoint_register()? Returns 0, or a negative errno that has been
 * reported. */
int uat_survive_open(bool caught, bool (*hindered)(void));
void uat_survive_close(void);

/* A handler of SIGUSR2 calls this. Returns false if the signal is not for this room. */
bool uat_survive_signal(const siginfo_t *info);

/* All workers have stopped: copy the state, if every worker can be saved. Returns, on all workers alike, whether the
 * stop also serves a request. */
bool uat_survive_stopped(const struct uat_chain *chain);

/* Inside of a run, before the root starts: make the first copy and the spare process. Collective. Returns false on all
 * workers alike if losses of this run cannot be survived. Otherwise the caller calls setjmp(uat_survive_back) at once.
 * *lost becomes true in the spare process when it takes the rank over, and the caller calls uat_survive_recover(). */
bool uat_survive_begin(bool *lost);
extern jmp_buf uat_survive_back __attribute__((visibility("hidden")));

/* After setjmp(uat_survive_back) the first time: from now on a loss makes it return 1. */
void uat_survive_watch(void);

/* After a loss: go back to the last copy, together with all workers. Returns what this worker had then; NULL on all
 * workers alike if nothing had run yet, so that the root starts anew. */
const struct uat_chain *uat_survive_recover(void);

/* This worker has the run's result, or the files of a checkpoint that ends the job are complete: wait until this is so
 * for all workers. From then on no loss is survived. If a worker is lost first, jumps to uat_survive_back. */
void uat_survive_end(void);

#endif
