/* SPDX-License-Identifier: MIT */
/* Memory objects without a name, which vanish with their last process. */
#ifndef UAT_MEMFD_H
#define UAT_MEMFD_H

/* Make an object that is closed by an exec and can never be executed. flags: further flags of memfd_create(2). Returns
 * a descriptor, or -1 with errno. */
int uat_memfd(const char *name, unsigned flags);

#endif
