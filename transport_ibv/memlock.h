/* SPDX-License-Identifier: MIT */
/* The limit of this process's locked memory. The segment and the queues are locked memory. */
#ifndef UAT_IBV_MEMLOCK_H
#define UAT_IBV_MEMLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For messages: how to raise the limit. */
#define UAT_MEMLOCK_ADVICE                                                                                             \
    "raise it with `ulimit -l unlimited` (or memlock in /etc/security/limits.conf), LimitMEMLOCK=infinity and "        \
    "PropagateResourceLimitsExcept=MEMLOCK for slurmd, --ulimit memlock=-1 for docker"

/* The limit in bytes. UINT64_MAX: unlimited, for example with CAP_IPC_LOCK. */
uint64_t uat_memlock_limit(void);

/* Check that the limit allows `needed` bytes. Returns 0, or -ENOMEM after reporting the error. */
int uat_memlock_check(uint64_t needed);

#endif
