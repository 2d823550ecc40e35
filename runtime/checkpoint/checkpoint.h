/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints of a run, and the restart from one. What users see: docs/checkpoint.md. How all workers stop:
 * runtime/sched/stop.h. What is in the files: folder.h, sections.h, manifest.h.
 *
 *   K7  Restore writes the memory of all workers before any of them resumes a task. A barrier lies in between.
 *   K8  Before the barrier of K7, a worker with a chain publishes that it has work. Otherwise rank 0 could report a
 *       deadlock that does not exist.
 */
#ifndef UAT_CHECKPOINT_ROOM_H
#define UAT_CHECKPOINT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/checkpoint/runs.h"
#include "runtime/job/identity.h"
#include "runtime/segment/sections.h"

struct uat_checkpoint_config {
    const struct uat_identity *identity; /* this worker's; must stay valid */
    const struct uat_settings *settings;
    void (*leave)(int status); /* end this worker cleanly, with all others; does not return */
};

/* Choose the checkpoint to continue from, if there is one, and read the data that concern all workers. Called as soon
 * as rank and size are known. *colour: this worker's colour; the checkpoint's colour replaces it. *id becomes the
 * checkpoint's id, or 0 if the job begins anew. Returns 0, or a negative errno that has been reported. */
int uat_checkpoint_choose(int *colour, uint64_t *id);

/* Compare this job with the job that wrote the checkpoint. *canary is replaced by the checkpoint's canary. Returns 0,
 * or -EINVAL, which has been reported. */
int uat_checkpoint_compare(const struct uat_checkpoint_config *config, uint64_t *canary);

/* Accept requests. Returns 0, or a negative errno that has been reported. */
int uat_checkpoint_open(void);
void uat_checkpoint_close(void);

/* Forget the runs of this job and what main() has registered. A job that continues from a checkpoint will restore it
 * again. The checkpoints in the folder stay, and the numbers of the next ones go on. */
void uat_checkpoint_reset(void);

/* Called when a run begins. Returns the record of how this run ended in the interrupted job, or NULL if the run must be
 * executed. */
const struct uat_run_record *uat_checkpoint_run_begins(void);

/* Returns true if the run that begins is the interrupted one. The caller must then call uat_checkpoint_go_on() and
 * uat_schedule(). The first of these restores this worker's state and runs its tasks. Ends the job if the state cannot
 * be restored. */
bool uat_checkpoint_is_interrupted(void);
void uat_checkpoint_go_on(void);

/* Called when the run is over, with its result. */
void uat_checkpoint_run_ended(const void *bytes, size_t size, bool failed);
/* The run that is over has a packed result with this content. */
void uat_checkpoint_keep_packed(const void *bytes, size_t size);
/* That content, and in *size its bytes, if the run was over in the interrupted job already; else NULL. */
const void *uat_checkpoint_kept_packed(size_t *size);

/* What the functions of uat_checkpoint_register() save and restore. */

/* Call the functions that save, and append the bytes that they return. Does nothing for a ghost. */
void uat_blobs_save(struct uat_sections_out *out, int rank);

/* Copy the bytes that `rank` saved, and keep the copy until uat_blobs_give(). rank: this worker or a ghost. Returns
 * false if there is no memory, or if main() has not repeated the call of uat_checkpoint_register() whose function saved
 * the bytes. */
bool uat_blobs_take(int rank, const struct uat_section *section);

/* Call the functions that restore, once for each copy. */
void uat_blobs_give(void);

/* Has main() registered functions? */
bool uat_blobs_any(void);

/* Forget all calls. */
void uat_blobs_free(void);

#endif
