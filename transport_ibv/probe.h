/* SPDX-License-Identifier: MIT */
#ifndef UAT_IBV_PROBE_H
#define UAT_IBV_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* Does this host have a verbs port that uat can use? Returns 1 with the port in `why`, or 0 with the reason in `why`.
 * next: the caller will open the transport next. So if there is a port, its device stays open. */
int uat_ibv_probe(bool next, char *why, size_t size);

#endif
