/* SPDX-License-Identifier: MIT */
/* What /proc reports about a process. */
#ifndef UAT_PROCESS_H
#define UAT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct uat_process {
    char state; /* the letter that ps shows: R, S, D, Z; T: stopped by a signal; t: stopped by a debugger */
    pid_t parent;
};

/* Look up a process of this PID namespace. Returns false if the process does not exist or /proc is missing. */
bool uat_process_look(pid_t pid, struct uat_process *out);

/* The processor time in ns that the first thread of process `pid` has used so far; UINT64_MAX if unknown. */
uint64_t uat_process_ran(pid_t pid);

#endif
