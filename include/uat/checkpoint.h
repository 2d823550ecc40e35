/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints: all workers stop, and the state of a run is written to files. A later job of the same program, with any
 * number of workers, can continue the run from these files. UAT_CHECKPOINT=FOLDER turns this on. docs/checkpoint.md
 * says what is saved.
 */
#ifndef UAT_CHECKPOINT_H
#define UAT_CHECKPOINT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A flag of uat_checkpoint(): after the checkpoint the job ends, and all workers exit with UAT_CHECKPOINT_STATUS. */
#define UAT_CHECKPOINT_END 1

/* The exit status of a job that ended after a checkpoint: EX_TEMPFAIL of sysexits.h. */
#define UAT_CHECKPOINT_STATUS 75

/*
 * Request a checkpoint. Call it in a task. The call returns at once. Each worker stops when its task next spawns,
 * joins, waits or ends. flags: 0 or UAT_CHECKPOINT_END. Returns 0, or -ENOTSUP without UAT_CHECKPOINT. All other errors
 * have been reported: -EINVAL for other flags, -ENOTSUP in a process made by fork().
 */
int uat_checkpoint(int flags);

/*
 * Register functions that save and restore those data of the process that a checkpoint does not contain, such as a
 * table from malloc() or the position in a file. main() must call uat_checkpoint_register() on all workers, between
 * uat_init() and uat_finalize(), outside of runs, and before the run that needs the data. It may call it at most
 * UAT_CHECKPOINT_REGISTER_MAX times. A restarted job must make the same calls in the same order.
 *
 * save() is called on each worker while all workers have stopped. It is also called if the job ends after the
 * checkpoint. It must set *bytes to the address of the bytes to save, and return their number. If it returns 0, nothing
 * is saved. The bytes remain the program's. They may change at the next call of save(). In a restarted job, restore()
 * is called when the interrupted run begins again, before any task continues. It is called once for each rank that has
 * saved bytes, with that rank as `rank`, on the worker of rank `rank` mod the number of workers. The bytes are valid
 * until restore() returns. Neither function may call uat, except for uat_rank() and uat_size().
 *
 * uat_checkpoint_register() returns 0 or an error, which it has reported: -EINVAL for a missing function, or for a call
 * in a run, before uat_init() or after uat_finalize(); -ENOSPC for more than UAT_CHECKPOINT_REGISTER_MAX calls.
 */
enum { UAT_CHECKPOINT_REGISTER_MAX = 16 };
typedef size_t uat_checkpoint_save_fn(const void **bytes);
typedef void uat_checkpoint_restore_fn(int rank, const void *bytes, size_t size);
int uat_checkpoint_register(uat_checkpoint_save_fn *save, uat_checkpoint_restore_fn *restore);

/* The number of times that this job was restarted from a checkpoint; 0 if it never was. Call it between uat_init() and
 * uat_finalize(). */
int uat_restarted(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
