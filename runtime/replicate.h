/* SPDX-License-Identifier: MIT */
#ifndef UAT_REPLICATE_H
#define UAT_REPLICATE_H

/* Take back all replicas. */
void uat_replicate_close(void);

#endif
