/* SPDX-License-Identifier: MIT */
/* How much memory is still available. */
#ifndef UAT_MEMORY_H
#define UAT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UAT_MEMORY_LIMIT_MAX = 256 /* bytes of a limit's name, with its terminating 0 */ };

/*
 * The bytes that this process can still get: what the host has available, or what a control group still allows if that
 * is less; UINT64_MAX if unknown. If `locked`, the memory is to be locked and never swapped out; otherwise swap is
 * included. limit names what sets the bound: "this host", or the group's file. The figure holds only for a moment,
 * because other processes take memory, too. root is prepended to the paths that are read: "" except in tests.
 */
uint64_t uat_memory_available(const char *root, bool locked, char limit[UAT_MEMORY_LIMIT_MAX]);

#endif
