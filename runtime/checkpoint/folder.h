/* SPDX-License-Identifier: MIT */
/*
 * The folder of a job's checkpoints:
 *   FOLDER/latest      number of the newest complete checkpoint, replaced by rename
 *   FOLDER/7/rank-V    the state of worker V
 *   FOLDER/7/memory-R  pieces of global memory (arrays.h)
 *   FOLDER/7/job       the data that concern all workers: identity, results of earlier runs
 *   FOLDER/7/manifest  a description of the checkpoint as text; written last
 *   FOLDER/lock        says which job uses the folder
 * Each file has a temporary name until it is complete (base/output.h).
 *
 *   K9  All files of the checkpoint that `latest` names are on the disk. A complete checkpoint is never changed. It is
 *       removed only after `keep` newer checkpoints are complete.
 *
 * Rank 0 alone changes the folder. The other ranks create their own files. Functions return 0 or a negative errno that
 * has been reported with the file's name.
 */
#ifndef UAT_CHECKPOINT_FOLDER_H
#define UAT_CHECKPOINT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Write the name of a file of checkpoint `number` to `name`. If file is NULL, write the name of the checkpoint's
 * folder. If number is 0, write the name of FOLDER itself. */
const char *uat_folder_name(char *name, size_t size, uint64_t number, const char *file);

/* Check that FOLDER is a folder of this user. uat_folder_open() creates it first if it is missing. */
int uat_folder_check(void);
int uat_folder_open(void);

/*
 * Lock FOLDER for this job until uat_folder_unlock(), or until this process ends. The lock is a record lock on
 * FOLDER/lock. A forked child does not inherit such a lock, and shared file systems support it. Returns -EBUSY if
 * another job has the lock. If the file system has no locks, prints a warning and returns 0.
 */
int uat_folder_lock(void);
void uat_folder_unlock(void);

/* Write to `text` how the job that holds the lock describes itself, or "" if no job holds it. Returns text, which has
 * `size` bytes. */
const char *uat_folder_holder(char *text, size_t size);

/* Set *number to the number in `latest`, or to 0 if there is none. */
int uat_folder_latest(uint64_t *number);

/* Is this checkpoint complete? */
int uat_folder_has(uint64_t number);

/* List the numbers of all checkpoints, complete or not, the highest first. Returns how many there are. The caller frees
 * *numbers. */
size_t uat_folder_list(uint64_t **numbers);

/* Returns the highest number of all checkpoints, complete or not, or 0 if there is none. */
uint64_t uat_folder_highest(void);

/* Begin checkpoint `number`: create its folder. */
int uat_folder_begin(uint64_t number);

/* Let `latest` name the checkpoint, whose files are all written (K9). */
int uat_folder_complete(uint64_t number);

/* Remove a checkpoint. Errors are ignored, because `latest` no longer names the checkpoint, or never did. */
void uat_folder_remove(uint64_t number);

/* Remove all checkpoints except the `keep` newest complete checkpoints. */
void uat_folder_clean(int keep);

/* The choice of the checkpoint from which a job goes on. */

/* Open FOLDER, lock it on rank 0, and choose the checkpoint's number by the settings and by `latest`; 0: the job begins
 * anew. Returns 0 or a negative errno, which has been reported. */
int uat_choice_make(uint64_t *number);

/* Name an older checkpoint that can be used instead of a damaged one. */
void uat_choice_name_older(uint64_t number);

#endif
