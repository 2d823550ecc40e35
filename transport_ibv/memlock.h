/* SPDX-License-Identifier: MIT */
/* How much memory this process may lock; the segment and the queues are locked memory. */
#ifndef UAT_IBV_MEMLOCK_H
#define UAT_IBV_MEMLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to raise the limit, for messages. */
#define UAT_MEMLOCK_ADVICE                                                                                             \
    "raise it with `ulimit -l unlimited` (or memlock in /etc/security/limits.conf), LimitMEMLOCK=infinity and "        \
    "PropagateResourceLimitsExcept=MEMLOCK for slurmd, --ulimit memlock=-1 for docker"

/* The limit in bytes. UINT64_MAX: unlimited, as it is for any process with CAP_IPC_LOCK. */
uint64_t uat_memlock_limit(void);

/* Check that the limit allows `needed` bytes. 0 or -ENOMEM, reported. */
int uat_memlock_check(uint64_t needed);

#endif
