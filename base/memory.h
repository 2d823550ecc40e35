/* SPDX-License-Identifier: MIT */
/* How much memory there still is. */
#ifndef UAT_MEMORY_H
#define UAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UAT_MEMORY_LIMIT_MAX = 256 /* bytes of a limit's name, the 0 at the end included */ };

/*
 * Bytes that this process can still get: what the host has available, or what a control group leaves if that is less;
 * UINT64_MAX if nobody says. locked: they are to be locked memory, which is never swapped out; else swap is included.
 * limit names what sets this bound: "this host", or the file of the group. It is a moment's figure: others take memory,
 * too. root is put before the paths that are read: "" but for tests.
 */
uint64_t uat_memory_available(const char *root, bool locked, char limit[UAT_MEMORY_LIMIT_MAX]);

#endif
