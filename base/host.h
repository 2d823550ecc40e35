/* SPDX-License-Identifier: MIT */
/* What the kernel reports about this host. */
#ifndef UAT_HOST_H
#define UAT_HOST_H

#include <stdint.h>

enum { UAT_HOST_BOOT_MAX = 40 /* bytes of a boot id, including its terminating 0 */ };

/* The boot id: unique to a running kernel, even if host names are not unique. Containers of one host share it. "" if
 * unknown. */
void uat_host_boot_id(char id[UAT_HOST_BOOT_MAX]);

/* A number that identifies this process's PID namespace; 0, with errno set, if unknown. */
uint64_t uat_host_pid_space(void);

struct bitmask;

/* The hardware threads that share a core with hardware thread `cpu`, itself included; NULL if unknown. The caller must
 * free them by numa_free_cpumask(). */
struct bitmask *uat_host_siblings(int cpu);

#endif
