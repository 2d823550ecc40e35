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

/* Ask this about all other addresses: it writes what is wrong there to text and returns true, or returns false. */
void uat_fault_describe(bool (*describe)(uintptr_t address, char *text, size_t size));
void uat_fault_close(void);

/* A fault, for those who may know more about it. */
struct uat_fault {
    uintptr_t address; /* 0 if the processor did not tell: an address that is none */
    const uint64_t *registers;
    int count; /* of registers */
};

/* Also ask this: it prints a line if it knows. Runs in a signal handler. */
void uat_fault_ask(void (*explain)(const struct uat_fault *fault));

/* The line about an overflow of the task stacks down to address. */
void uat_fault_report_overflow(uintptr_t address);

#endif
