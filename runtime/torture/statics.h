/* SPDX-License-Identifier: MIT */
/*
 * UAT_TORTURE=statics=protected: the program's variables are read-only in a run, and a task that writes to one ends the
 * job by a line. Only the program's own file is protected. A library's variables are the state of its functions, and
 * nothing tells the libraries of the program from others.
 *
 * Variables share pages with words that must be written: variables of libraries that the loader has put into the
 * program, addresses that the loader sets at the first call of a function, and variables that the part `allow` names.
 * The handler lets such an instruction write, and protects the page again after this one instruction. Where the
 * processor cannot stop after one instruction, the page stays writable until the run's end. So does a page to which
 * another thread of the program writes, because that thread is no task.
 */
#ifndef UAT_STATICS_H
#define UAT_STATICS_H

#include <stdbool.h>

struct uat_fault;

/* Find the variables, if the setting is on. Ends the job if they cannot be protected. */
void uat_statics_open(void);

/* Protect the variables for the tasks of a run, or let this worker write to them again. Without the setting it does
 * nothing. Call it on the worker's own thread. */
void uat_statics_protect(bool on);

/* Print a line if the fault is a forbidden write to a variable. Returns whether it is. */
bool uat_statics_explain(const struct uat_fault *fault);

#endif
