/* SPDX-License-Identifier: MIT */
/* What the kernel reports about this host and its processes. */
#ifndef UAT_HOST_H
#define UAT_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { UAT_HOST_BOOT_MAX = 40 /* bytes of a boot id, including its terminating 0 */ };

/* The boot id; "" if unknown. Each running kernel has its own boot id, even if host names are not unique. Containers of
 * one host share the boot id. */
void uat_host_boot_id(char id[UAT_HOST_BOOT_MAX]);

/* A number that identifies this process's PID namespace. If it is unknown, returns 0 and sets errno. */
uint64_t uat_host_pid_space(void);

/* The same for the user namespace. */
uint64_t uat_host_user_space(void);

struct bitmask;

/* The set of hardware threads on the core of hardware thread `cpu`, including `cpu`; NULL if unknown. The caller must
 * free the set by numa_free_cpumask(). */
struct bitmask *uat_host_siblings(int cpu);

/* What /proc reports about a process. */

struct uat_process {
    char state; /* the letter that ps shows: R, S, D, Z; T: stopped by a signal; t: stopped by a debugger */
    pid_t parent;
};

/* Look up a process of this PID namespace. Returns false if the process does not exist or /proc is missing. */
bool uat_process_look(pid_t pid, struct uat_process *out);

/* The processor time in ns that the first thread of process `pid` has used so far; UINT64_MAX if unknown. */
uint64_t uat_process_ran(pid_t pid);

#endif
