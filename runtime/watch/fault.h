/* SPDX-License-Identifier: MIT */
#ifndef UAT_FAULT_H
#define UAT_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/owner.h"

/*
 * Catch the faults that mean "a limit was passed": the guard below the task stacks, the guard behind the deque's
 * array, memory that the kernel could not give. One line names the option that mends it; then the fault takes its usual
 * course. The handler runs on a signal stack of its own. Only while `deque` is open; entries: UAT_DEQUE_ENTRIES. 0 or a
 * negative errno, reported.
 */
int uat_fault_open(const struct uat_deque *deque, size_t entries);

/* Who explains other addresses: writes what is wrong there to text and returns true. */
void uat_fault_ask(bool (*explain)(uintptr_t address, char *text, size_t size));
void uat_fault_close(void);

/* The line about an overflow of the task stacks down to address. */
void uat_fault_report_overflow(uintptr_t address);

#endif
