/* SPDX-License-Identifier: MIT */
/*
 * Which block of malloc() on another worker holds an address: for the message about a pointer that a task has kept
 * across a spawn. Reads the other process's memory, as a debugger does, and follows the heads of glibc's blocks. So it
 * knows nothing where the kernel forbids that (kernel.yama.ptrace_scope), on other machines, and of small blocks that
 * were freed a short time ago, which look as if they were in use.
 */
#ifndef UAT_TORTURE_BLOCK_H
#define UAT_TORTURE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/job/roster.h"

/* Note the processes of this machine's workers. Returns 0, or -ENOMEM, which has been reported. */
int uat_torture_block_open(const struct uat_roster *roster);

/* Write which block of `rank` holds the address: " (byte 8 of a block of 73 to 88 bytes)"; "" if it is not known.
 * Returns text. May be called in a signal handler. */
const char *uat_torture_block(int rank, uintptr_t address, char *text, size_t room);

#endif
