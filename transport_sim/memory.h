/* SPDX-License-Identifier: MIT */
/* The segments of all workers, as whoever has the token reaches them: mapped, or by file when they are too many. */
#ifndef UAT_SIM_MEMORY_H
#define UAT_SIM_MEMORY_H

#include <stddef.h>

/* Both addresses as in the segment of each. Ends the process, reported, if the memory object cannot be used. */
void uat_sim_memory_read(int rank, const void *from, void *to, size_t size);
void uat_sim_memory_write(int rank, void *to, const void *from, size_t size);

/* From one segment to another. */
void uat_sim_memory_copy(int to_rank, void *to, int from_rank, const void *from, size_t size);

#endif
