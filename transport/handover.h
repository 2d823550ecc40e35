/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that workers of one host hand to each other, as messages over sockets (SCM_RIGHTS of unix(7)).
 *
 * Workers normally open each other's memory objects as /proc/PID/fd/N. The kernel forbids this between two user
 * namespaces, even for one user (ptrace(2), "Ptrace access mode checking"). Rootless containers put each rank of a
 * host into a user namespace of its own. A message with a descriptor needs no such permission. So a worker outside the
 * initial user namespace has a listening socket with an abstract name, which leaves no file, and publishes its number.
 * Each side accepts only processes of its own user.
 */
#ifndef UAT_TRANSPORT_HANDOVER_H
#define UAT_TRANSPORT_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

/* Open this worker's socket if it may need one. Returns the socket's number, which peers need. 0: the worker is in the
 * initial user namespace (user_space: its number), its user is not mapped into its namespace, or there can be no
 * socket. */
uint32_t uat_handover_open(uint64_t user_space);
void uat_handover_close(void);

/* Note a worker to which uat_handover_offer() sends. socket: the number that it published. */
int uat_handover_add(int pid, uint32_t socket);

/* Send a descriptor to one worker, or to all noted workers. They own copies. Returns 0 or a negative errno, and reports
 * nothing. */
int uat_handover_give(int pid, uint32_t socket, int fd);
int uat_handover_offer(int fd);

/* Wait for the descriptor of the memory object with these numbers from process `pid`. Returns a copy, which the caller
 * must close, or a negative errno: -EACCES if pid was not noted, -ESRCH if it has ended, -EMFILE and others if this
 * process has no room for descriptors. Reports nothing. */
int uat_handover_take(int pid, uint64_t device, uint64_t inode);

/* Forget the object, so that its memory can be freed. */
void uat_handover_drop(uint64_t device, uint64_t inode);

#endif
