/* SPDX-License-Identifier: MIT */
/* Access to the segments of all workers, for the process with the token. The access is through mappings or, if there
 * are many workers, through the file. */
#ifndef UAT_SIM_MEMORY_H
#define UAT_SIM_MEMORY_H

#include <stddef.h>

/* A remote address is an address in the owning process's address space. If the memory object cannot be accessed, these
 * functions report this and end the process. */
void uat_sim_memory_read(int rank, const void *from, void *to, size_t size);
void uat_sim_memory_write(int rank, void *to, const void *from, size_t size);

/* Copy from one worker's segment to another worker's. */
void uat_sim_memory_copy(int to_rank, void *to, int from_rank, const void *from, size_t size);

#endif
