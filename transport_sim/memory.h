/* SPDX-License-Identifier: MIT */
/* Access to the segments of all workers, for the process that has the token: by mapping, or by file if there are
 * many. */
#ifndef UAT_SIM_MEMORY_H
#define UAT_SIM_MEMORY_H

#include <stddef.h>

/* Addresses are those in the owner's segment. If the memory object cannot be used, report it and end the process. */
void uat_sim_memory_read(int rank, const void *from, void *to, size_t size);
void uat_sim_memory_write(int rank, void *to, const void *from, size_t size);

/* Copy from one segment to another. */
void uat_sim_memory_copy(int to_rank, void *to, int from_rank, const void *from, size_t size);

#endif
