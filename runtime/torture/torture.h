/* SPDX-License-Identifier: MIT */
/*
 * Torture modes of the spawn (UAT_TORTURE), to find task code and runtime code that breaks the rules.
 *   evacuate  while a child runs, its spawner's stack is copied out and its place poisoned; nothing is published
 *   steal     at each spawn the worker waits, for a bounded time, until a thief has taken the continuation
 *   rollback  workers ask for a stop again and again, where all copy their state or go back (runtime/checkpoint/copy.h)
 * (UAT_TORTURE=delay=SEED is in base/delay.h and in the transport. The modes order and fence are in runtime/flow/.)
 */
#ifndef UAT_TORTURE_H
#define UAT_TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/job/roster.h"

extern bool uat_torture_on;

/* Enable the modes that UAT_TORTURE names. rank is part of the random delays' seed, so that the delays differ between
 * workers. */
void uat_torture_open(int rank);

/* Is mode "steal" on? In this mode a worker that spawns needs idle workers to be awake. */
bool uat_torture_waits_for_thieves(void);

/* uat_torture_pushed() is called after the continuation at sp was pushed, and uat_torture_returned() is called before
 * the continuation's child returns to it. */
void uat_torture_pushed(uintptr_t sp);
void uat_torture_returned(uintptr_t sp);

/* Mode "rollback": must this worker ask for a stop now? If so, it does not ask again before the next stop is over.
 * uat_torture_stood() says that a stop is over, which has lasted for `ns`. */
bool uat_torture_asks(void);
void uat_torture_stood(uint64_t ns);

/* Called for a checkpoint. If `all` is true, bring back all stacks that were moved away. Otherwise poison their places
 * again. */
void uat_torture_show(bool all);

/*
 * Which block of malloc() on another worker holds an address: for the message about a pointer that a task has kept
 * across a spawn. Reads the other process's memory, as a debugger does, and follows the heads of glibc's blocks. So it
 * knows nothing where the kernel forbids that (kernel.yama.ptrace_scope), on other machines, and of small blocks that
 * were freed a short time ago, which look as if they were in use.
 */

/* Note the processes of this machine's workers. Returns 0, or -ENOMEM, which has been reported. */
int uat_torture_block_open(const struct uat_roster *roster);

/* Has this process mapped memory between the two addresses? May be called in a signal handler. */
bool uat_torture_is_mapped(uintptr_t low, uintptr_t high);

/* Write which block of `rank` holds the address: " (byte 8 of a block of 73 to 88 bytes)"; "" if it is not known.
 * Returns text. May be called in a signal handler. */
const char *uat_torture_block(int rank, uintptr_t address, char *text, size_t room);

/*
 * malloc() returns different addresses on each worker of a job. All workers run one program without address-space
 * randomisation, so otherwise the same malloc() call would return the same address everywhere, and a pointer that a
 * task keeps across a spawn would silently point to another worker's data. With disjoint heaps such a pointer points to
 * no memory, and the message about the fault says why.
 */

/* Move future allocations of malloc() to the window of rank. windows: all ranks that may have called malloc(), also in
 * the job before the last restart. Best effort: reports no error. */
void uat_torture_heap_move(int rank, int windows);

/* Keep malloc() from returning the blocks that were allocated before the move, and have been freed since. Call it once
 * uat_init() has freed what it needed only for itself. */
void uat_torture_heap_settle(void);

/* The rank whose malloc() returns this address, or -1. */
int uat_torture_heap_owner(uintptr_t address);

/* Did malloc() return this address, which has an owner, in the job before the last restart from a checkpoint? Returns
 * false where this worker's own memory, beyond 512 MiB, has come into the addresses of that job. Not certain if it has
 * come there and has been unmapped again. May be called in a signal handler. */
bool uat_torture_heap_is_earlier(uintptr_t address);

#endif
