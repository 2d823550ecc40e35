/* SPDX-License-Identifier: MIT */
/*
 * A copy of a run in memory, and the way back to it in the same processes: UAT_TORTURE=rollback. At each stop rank 0
 * decides whether all workers copy their state, or go back to the last copy. What they did in between is dropped and
 * done again. A copy has what the file of a rank and the file of its global memory would have (docs/checkpoint.md).
 *
 *   K10  No worker leaves the stop before all have made their copies, because its tasks could change bytes that another
 *        worker has yet to copy.
 *   K11  All workers reset and restore their memory between two barriers: no operation on the old state arrives after
 *        the first, and none on the restored state before the second. The words of these barriers belong to a room that
 *        stays (`stays` of struct uat_room).
 *   K12  A copy belongs to its run.
 *   K13  A way back raises uat_self.epoch. A restored frame may name what the reset dropped, such as the loop on a
 *        worker's board. Its task compares the epoch, as it does after a restart.
 *
 * The memory of the processes is not copied. So a program that calls uat_checkpoint_register() is left alone.
 */
#ifndef UAT_COPY_H
#define UAT_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "deque/chain.h"

/* Serve stops, if UAT_TORTURE=rollback is set. hindered: has the program called uat_checkpoint_register()? Returns 0,
 * or a negative errno that has been reported. */
int uat_copy_open(bool (*hindered)(void));

/* Forget the copy. uat_copy_close() also says how often workers have gone back. */
void uat_copy_forget(void);
void uat_copy_close(void);

/* The copy of one worker's state: what the files rank-R and memory-R of a checkpoint would have, in memory objects,
 * which outlive the process if another one has them open. */
struct uat_copy {
    int state_fd, contents_fd; /* -1: none */
    uint64_t state_size, contents_size;
};
#define UAT_COPY_NONE                                                                                                  \
    {                                                                                                                  \
        .state_fd = -1, .contents_fd = -1                                                                              \
    }

/* Make the memory objects. Returns 0, or a negative errno that has been reported; then there are none. */
int uat_copy_make(struct uat_copy *one);

/* Copy this worker's state to *to, in place of what *to had. All workers have stopped and call this together; it
 * returns once all have made their copies (K10). Ends the job if there is no memory. */
void uat_copy_take(struct uat_copy *to, const struct uat_chain *chain);

/* Forget what this worker has done since its copy: reset all rooms but those that stay. */
void uat_copy_reset_rooms(void);

/* Bring this worker's memory back to its copy, after the reset. *chain becomes what this worker had then; its entries
 * must be freed. Returns 0, or a negative errno that has been reported. */
int uat_copy_put(const struct uat_copy *from, struct uat_chain *chain);

/* Close the memory objects. */
void uat_copy_free(struct uat_copy *one);

#endif
