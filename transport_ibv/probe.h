/* SPDX-License-Identifier: MIT */
#ifndef UAT_IBV_PROBE_H
#define UAT_IBV_PROBE_H

#include <stddef.h>

/* Whether this host has a verbs port that uat can use: 1, and which in why; or 0, and the reason. */
int uat_ibv_probe(char *why, size_t size);

#endif
