/* SPDX-License-Identifier: MIT */
/* What /proc tells of a process. */
#ifndef UAT_PROCESS_H
#define UAT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct uat_process {
    char state; /* as ps shows it: R, S, D, Z; T = stopped by a signal, t = by a debugger */
    pid_t parent;
};

/* Look at a process of this PID namespace. False if there is none, or /proc is missing. */
bool uat_process_look(pid_t pid, struct uat_process *out);

/* Nanoseconds that its first thread has run on a processor so far; UINT64_MAX if the kernel does not tell. */
uint64_t uat_process_ran(pid_t pid);

#endif
