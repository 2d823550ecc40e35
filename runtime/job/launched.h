/* SPDX-License-Identifier: MIT */
/* Which launcher started this process, and whether it was the right one. */
#ifndef UAT_LAUNCHED_H
#define UAT_LAUNCHED_H

/* The number in an environment variable; 0 if it is not set. */
long uat_launched_count(const char *variable);

/* The launcher's name, such as "srun". space: the PMIx namespace of this process. */
const char *uat_launched_by(const char *space);

/* For a process without PMIx: may it be a job of one worker? Returns 0, or -EINVAL after reporting what should have
 * started it. */
int uat_launched_alone(void);

#endif
