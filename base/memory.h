/* SPDX-License-Identifier: MIT */
/* How much memory there still is. */
#ifndef UAT_MEMORY_H
#define UAT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { UAT_MEMORY_LIMIT_MAX = 256 /* bytes of a limit's name, the 0 at the end included */ };

/*
 * Bytes that this process can still get: what the host has available, swap included, or what a control group leaves if
 * that is less; UINT64_MAX if nobody says. limit names what sets this bound: "this host", or the file of the group.
 * It is a moment's figure: others take memory, too. root is put before the paths that are read: "" but for tests.
 */
uint64_t uat_memory_available(const char *root, char limit[UAT_MEMORY_LIMIT_MAX]);

#endif
