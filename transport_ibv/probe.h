/* SPDX-License-Identifier: MIT */
#ifndef UAT_IBV_PROBE_H
#define UAT_IBV_PROBE_H

#include <stddef.h>

/* Does this host have a verbs port that uat can use? 1 with the port in why, or 0 with the reason in why. */
int uat_ibv_probe(char *why, size_t size);

#endif
