/* SPDX-License-Identifier: MIT */
#ifndef UAT_FAULT_H
#define UAT_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "deque/owner.h"

/*
 * Catch the faults that mean "a limit was passed". Such faults hit the guard below the task stacks, the guard after
 * the deque's array, or memory that the kernel could not give. The handler prints a line that names the setting to
 * change. It also explains a stack pointer that longjmp() has made invalid, and a call of a function that this worker
 * does not have. It also writes what stdio has buffered before a fault or an abort() ends the process. After that the
 * fault takes effect as if there were no such handler. The handler runs on its own signal stack. Close this before
 * `deque`. entries: UAT_DEQUE_ENTRIES. Returns 0, or a negative errno that has been reported.
 */
int uat_fault_open(const struct uat_deque *deque, size_t entries);

/* Set a function that the handler asks about all other addresses. If the function knows what is wrong at the address,
 * it writes this to text and returns true. Otherwise it returns false. */
void uat_fault_describe(bool (*describe)(uintptr_t address, char *text, size_t size));
void uat_fault_close(void);

/* A fault, as shown to the function that uat_fault_ask() sets. */
struct uat_fault {
    uintptr_t address; /* 0 if the processor did not report it, because it is not a valid address */
    uintptr_t pc;      /* the instruction */
    const uint64_t *registers;
    int count; /* number of registers */
};

/* Set a function that the handler calls after its own explanation, unless the fault is a call of a function at an
 * address without code. The function prints a line if it can explain the fault. It runs in the signal handler. */
void uat_fault_ask(void (*explain)(const struct uat_fault *fault));

/* Set a function that the handler asks first about each SIGSEGV. If it returns true, the instruction is executed again
 * in the context that the function may have changed. */
void uat_fault_resume_by(bool (*resume)(const struct uat_fault *fault, ucontext_t *context));

/*
 * Give the program's signal handlers the flag SA_ONSTACK, at the first run. Without this flag a handler runs on the
 * stack of the interrupted task or generator, and a generator's stack has no room for it. The system calls cost time,
 * so later runs do not look for new handlers.
 */
void uat_fault_move_handlers(void);

/* The next signal after `signal` whose handler lacks SA_ONSTACK; 0: none. Sets *action to this handler. */
int uat_fault_next_handler(int signal, struct sigaction *action);

/* Print the line about an overflow of the task stacks down to address. */
void uat_fault_report_overflow(uintptr_t address);

#endif
