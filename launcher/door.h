/* SPDX-License-Identifier: MIT */
/*
 * The door of the PMIx server. libpmix listens on a TCP port of the loopback interface, which all users of the host can
 * reach. Its handshake blocks the thread that serves the workers. So another user could connect, send nothing, and stop
 * the job. Therefore the server uses its own accept(). This accept() asks the kernel which user owns the other end, and
 * closes connections of other users.
 */
#ifndef UAT_LAUNCHER_DOOR_H
#define UAT_LAUNCHER_DOOR_H

#include <sys/socket.h>
#include <sys/types.h>

/* Find the user that owns the other end of a TCP connection over IPv4 within this host. Returns 0 or a negative errno;
 * -ENOENT if the other end does not exist or no longer exists. */
int uat_door_owner(const struct sockaddr *own, const struct sockaddr *peer, uid_t *owner);

#endif
