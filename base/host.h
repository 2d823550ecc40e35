/* SPDX-License-Identifier: MIT */
/* What the kernel reports about this host. */
#ifndef UAT_HOST_H
#define UAT_HOST_H

#include <stdint.h>

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

#endif
