/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that workers of one host hand to each other, as messages over sockets (SCM_RIGHTS of unix(7)).
 *
 * Workers normally open each other's memory objects as /proc/PID/fd/N. The kernel forbids this between two user
 * namespaces, even for one user (ptrace(2), "Ptrace access mode checking"). Rootless containers put each rank of a
 * host into a user namespace of its own. A message with a descriptor needs no such permission. So a worker outside the
 * initial user namespace has a listening socket with an abstract name, which leaves no file, and publishes its number.
 * Each side accepts only processes of its own user. Two workers connect once, when they note each other, and keep the
 * connections. So a stranger who fills the queue of a socket can only delay the start of a job.
 *
 * A wait for the other worker is reported after UAT_STALL_TIMEOUT, and ends with -ETIMEDOUT after UAT_STALL_LIMIT.
 */
#ifndef UAT_TRANSPORT_HANDOVER_H
#define UAT_TRANSPORT_HANDOVER_H

#include <stdint.h>

/* Open this worker's socket if it may need one. Returns the socket's number, which peers need. 0: the worker is in the
 * initial user namespace (user_space: its number), its user is not mapped into its namespace, or there can be no
 * socket. wait_report, wait_limit: seconds, as in struct uat_transport_config. */
uint32_t uat_handover_open(uint64_t user_space, int wait_report, int wait_limit);
void uat_handover_close(void);

/* Note a worker, and connect to its socket. socket: the number that it published. Returns 0 or a negative errno:
 * -EACCES if it published none, -EPERM if another process has this socket, -ESRCH if it has ended. The caller reports
 * errors of this function and of the next two. */
int uat_handover_add(int rank, int pid, uint32_t socket);

/* Send a descriptor to one noted worker, or to all of them. They own copies. Returns 0 or a negative errno. */
int uat_handover_give(int pid, int fd);
int uat_handover_offer(int fd);

/* Wait for the descriptor of the memory object with these numbers from process `pid`. Returns a copy, which the caller
 * must close, or a negative errno: -EACCES if pid was not noted, -ESRCH if it has ended, -EMFILE and others if this
 * process has no room for descriptors. */
int uat_handover_take(int pid, uint64_t device, uint64_t inode);

/* Forget the object, so that its memory can be freed. */
void uat_handover_drop(uint64_t device, uint64_t inode);

#endif
