/* SPDX-License-Identifier: MIT */
#ifndef UAT_FAULT_H
#define UAT_FAULT_H

/*
 * Catch the faults that mean "a limit was passed": the guard below the task stacks, the guard behind the deque's
 * array, memory that the kernel could not give. One line with the option that mends it, then the fault takes its usual
 * course. The handler runs on a signal stack of its own. 0 or a negative errno.
 */
int uat_fault_open(void);
void uat_fault_close(void);

#endif
