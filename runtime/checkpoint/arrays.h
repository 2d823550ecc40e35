/* SPDX-License-Identifier: MIT */
/*
 * Global memory in a checkpoint. The file `job` has the table of arrays (runtime/global/table.h). The file `memory-R`
 * has the bytes of the chunks whose home was worker R. The file `rank-V` has the bookkeeping lists of part V, one of
 * the parts that hold objects.
 *
 * Contents belong to addresses, not to ranks. So a restarted job may place chunks on other workers. The workers of a
 * restarted job divide the pieces of the files `memory-R` among themselves.
 */
#ifndef UAT_CHECKPOINT_ARRAYS_H
#define UAT_CHECKPOINT_ARRAYS_H

#include <stdbool.h>

#include "runtime/segment/sections.h"

/* Keep the table of arrays. Called before main() allocates any array. */
void uat_arrays_open(void);
void uat_arrays_close(void);

/* Write this worker's file `memory-R`, if global memory is open. Returns 0, or a negative errno that has been
 * reported. */
int uat_arrays_write(const struct uat_sections_head *head);

/* Append the table of arrays to the file `job`. uat_arrays_take_table() takes the table from its section, before main()
 * allocates arrays. It returns whether the section is sound. */
void uat_arrays_save_table(struct uat_sections_out *out);
bool uat_arrays_take_table(const struct uat_section *section);

/* Check that main() has repeated all calls for global memory that the checkpoint records. Returns 0, or -EINVAL; rank 0
 * reports this error. */
int uat_arrays_check(void);

/* Restore all contents. Collective. head: the head of all files of the checkpoint. rc: the caller's status so far. A
 * worker that fails meets the other workers first and then returns its own error. Returns 0, or a negative errno that
 * has been reported. */
int uat_arrays_restore(const struct uat_sections_head *head, int rc);

#endif
