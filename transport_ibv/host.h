/* SPDX-License-Identifier: MIT */
/* What this host offers to verbs. A library without libibverbs has these functions, too. */
#ifndef UAT_IBV_HOST_H
#define UAT_IBV_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does this host have a verbs port that uat can use? Returns 1 with the port in `why`, or 0 with the reason in `why`.
 * next: the caller will open the transport next. So if there is a port, its device stays open. */
int uat_ibv_probe(bool next, char *why, size_t size);

/* The limit of this process's locked memory. The segment and the queues are locked memory. */

/* For messages: how to raise the limit. */
#define UAT_MEMLOCK_ADVICE                                                                                             \
    "raise it with `ulimit -l unlimited` (or memlock in /etc/security/limits.conf), LimitMEMLOCK=infinity and "        \
    "PropagateResourceLimitsExcept=MEMLOCK for slurmd, --ulimit memlock=-1 for docker"

/* The limit in bytes. UINT64_MAX: unlimited, for example with CAP_IPC_LOCK. */
uint64_t uat_memlock_limit(void);

/* Check that the limit allows `needed` bytes. Returns 0, or -ENOMEM after reporting the error. */
int uat_memlock_check(uint64_t needed);

#endif
