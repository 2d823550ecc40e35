/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints: the state of a run is written to files while all workers stand, and a later job of the same program goes
 * on from it, with any number of workers. UAT_CHECKPOINT=FOLDER turns this on; docs/checkpoint.md says what is saved.
 */
#ifndef UAT_CHECKPOINT_H
#define UAT_CHECKPOINT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A flag of uat_checkpoint(): the job ends after the checkpoint, all workers with UAT_CHECKPOINT_STATUS. */
#define UAT_CHECKPOINT_END 1

/* The exit status of a job that ended after a checkpoint: EX_TEMPFAIL of sysexits.h. */
#define UAT_CHECKPOINT_STATUS 75

/*
 * Ask for a checkpoint; called in a task. It returns at once: all workers stop a little later, each where its task next
 * spawns, joins, waits or ends. flags: 0 or UAT_CHECKPOINT_END. Returns 0; -ENOTSUP without UAT_CHECKPOINT; -EINVAL for
 * other flags, reported.
 */
int uat_checkpoint(int flags);

/*
 * Save what a checkpoint does not: memory of the process, such as a table from malloc() or the place in a file. main()
 * calls this on all workers, between uat_init() and uat_finalize() and outside of runs, before the run to which it
 * matters, at most UAT_AT_CHECKPOINT_MAX times. A restarted job must make the same calls in the same order.
 *
 * save() is called on each worker while all stand, also if the job ends then. It returns the number of bytes to save,
 * and sets *bytes to them; they stay the caller's, and may change at the next call. 0: nothing is saved.
 * restore() is called in a restarted job when the interrupted run begins again, before any task goes on: once for each
 * rank that has saved something, on the worker `rank` mod the number of workers. rank: of the worker that saved. The
 * bytes are valid until restore() returns. Neither function may call uat, except for uat_rank() and uat_size().
 *
 * Returns 0; -EINVAL for a missing function or a call in a task, -ENOSPC for a call too many, reported.
 */
enum { UAT_AT_CHECKPOINT_MAX = 16 };
typedef size_t uat_checkpoint_save_fn(const void **bytes);
typedef void uat_checkpoint_restore_fn(int rank, const void *bytes, size_t size);
int uat_at_checkpoint(uat_checkpoint_save_fn *save, uat_checkpoint_restore_fn *restore);

/* How often this job has been restarted from a checkpoint; 0: it began anew. Between uat_init() and uat_finalize(). */
int uat_restarted(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
