/* SPDX-License-Identifier: MIT */
/* What the kernel reports about this host. */
#ifndef UAT_HOST_H
#define UAT_HOST_H

#include <stdint.h>

enum { UAT_HOST_BOOT_MAX = 40 /* bytes of a boot id, with its terminating 0 */ };

/* The boot id: one per running kernel, whatever the host names; containers of one host share it. "" if unknown. */
void uat_host_boot_id(char id[UAT_HOST_BOOT_MAX]);

/* A number for this process's PID namespace; 0, with errno set, if unknown. */
uint64_t uat_host_pid_space(void);

struct bitmask;

/* The hardware threads that share a core with this one, itself among them; NULL if unknown. Freed by the caller, with
 * numa_free_cpumask(). */
struct bitmask *uat_host_siblings(int cpu);

#endif
