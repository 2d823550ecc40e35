/* SPDX-License-Identifier: MIT */
/* The amount of memory that is still available, and what this process's mappings cost; and memory objects. */
#ifndef UAT_MEMORY_H
#define UAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cgroup.h"

enum { UAT_MEMORY_LIMIT_MAX = UAT_CGROUP_LIMIT_MAX };

/*
 * Returns the number of bytes that this process can still get. This is the host's available memory, or less if a
 * control group allows less. Returns UINT64_MAX if the number is unknown. locked: the caller will lock the memory, so
 * swap space does not count. Writes to `limit` what limits the number: "this host", or the group's file. The result may
 * be out of date at once, because other processes take memory, too. `root` is a prefix for the paths of the files that
 * the function reads; it is "" except in tests.
 */
uint64_t uat_memory_available(const char *root, bool locked, char limit[UAT_MEMORY_LIMIT_MAX]);

/* Bytes of this process's page tables. 0 if the number is unknown. */
uint64_t uat_memory_page_tables(void);
/* Page faults of this process, since its start, that read nothing from a disk. */
uint64_t uat_memory_minor_faults(void);

/* Memory objects without a name, which vanish with their last process. */

/* Make an object that is closed by an exec and can never be executed. flags: further flags of memfd_create(2). Returns
 * a descriptor, or -1 with errno. */
int uat_memfd(const char *name, unsigned flags);

/* Make such an object of `bytes` bytes, which are zero, and map them for reading and writing. *fd becomes its
 * descriptor. Returns the address, or NULL with errno, which is EFBIG if ulimit -f is too small. */
void *uat_memfd_map(const char *name, size_t bytes, int *fd);

#endif
