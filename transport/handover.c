/* SPDX-License-Identifier: MIT */
#include "transport/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/relax.h"

enum {
    LOOKS = 1000,   /* polls between two checks that the peer is alive */
    BACKLOG = 4096, /* connections that may wait; the kernel may lower this number (net.core.somaxconn) */
    NAME_DIGITS = 5 /* the kernel chooses abstract names of 5 hexadecimal digits: unix(7), "Autobind feature" */
};
enum { OVERFLOW_UID = 65534 };           /* of every user who is not mapped into a namespace (user_namespaces(7)) */
#define INITIAL_USER_SPACE 0xEFFFFFFDull /* PROC_USER_INIT_INO of Linux: the same in every kernel */

struct held {
    int fd;
    uint64_t device, inode;
};

struct receiver {
    int pid;
    uint32_t socket;
};

static struct {
    int listener;
    struct held *held; /* descriptors that have arrived */
    size_t held_count;
    struct receiver *receivers;
    size_t receiver_count;
} hand = {.listener = -1};

uint32_t uat_handover_open(uint64_t user_space)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(name);
    uat_handover_close();
    if (user_space == INITIAL_USER_SPACE || geteuid() == OVERFLOW_UID) /* with this uid every stranger seems to be us */
        return 0;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* An address without a path lets the kernel choose an abstract name that is free. */
    if (s < 0 || bind(s, (struct sockaddr *)&name, sizeof(name.sun_family)) || listen(s, BACKLOG) ||
        getsockname(s, (struct sockaddr *)&name, &size)) {
        if (s >= 0)
            close(s);
        return 0;
    }
    hand.listener = s;
    return 1 + (uint32_t)strtoul(name.sun_path + 1, NULL, 16);
}

void uat_handover_close(void)
{
    for (size_t i = 0; i < hand.held_count; i++)
        close(hand.held[i].fd);
    if (hand.listener >= 0)
        close(hand.listener);
    free(hand.held);
    free(hand.receivers);
    memset(&hand, 0, sizeof(hand));
    hand.listener = -1;
}

int uat_handover_add(int pid, uint32_t socket)
{
    struct receiver *more = realloc(hand.receivers, (hand.receiver_count + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    hand.receivers = more;
    more[hand.receiver_count++] = (struct receiver){pid, socket};
    return 0;
}

/* Does the process at the other end have this worker's user? The kernel translates its user into this namespace. */
static bool is_own_user(int s)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

/* The only kind of message: one byte with one descriptor. */
union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_descriptor(int s, int fd)
{
    char byte = 0;
    struct iovec data = {&byte, 1};
    union control control = {0};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    control.head =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
    return sendmsg(s, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* Returns -EAGAIN or -ETOOMANYREFS if the receiver must take other descriptors first. */
static int try_give(uint32_t number, int fd)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + NAME_DIGITS;
    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%0*x", NAME_DIGITS, number - 1);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return -errno;
    int rc = connect(s, (struct sockaddr *)&name, size) ? -errno : 0;
    if (!rc)
        rc = is_own_user(s) ? send_descriptor(s, fd) : -EPERM;
    close(s);
    return rc;
}

/* Receive the descriptor of a connection, and close the connection. Returns 0, also if the connection brings none; or a
 * negative errno if this process has no room for the descriptor. */
static int receive(int s)
{
    char byte;
    int fd = -1;
    struct stat object;
    struct iovec data = {&byte, 1};
    union control control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    /* The sender sends at once, or ends. So this call may block. */
    ssize_t got = is_own_user(s) ? recvmsg(s, &message, MSG_CMSG_CLOEXEC) : -1;
    struct cmsghdr *head = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    close(s);
    if (got == 1 && (message.msg_flags & MSG_CTRUNC)) /* the kernel has closed the descriptor: the table is full */
        return -EMFILE;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(fd)))
        memcpy(&fd, CMSG_DATA(head), sizeof(fd));
    if (fd < 0)
        return 0;
    struct held *more = realloc(hand.held, (hand.held_count + 1) * sizeof(*more));
    if (more)
        hand.held = more;
    if (more && !fstat(fd, &object))
        more[hand.held_count++] = (struct held){fd, object.st_dev, object.st_ino};
    else
        close(fd);
    return more ? 0 : -ENOMEM;
}

/* Receive what has been sent. Returns 0, or a negative errno if this process has no room for it. */
static int receive_all(void)
{
    int s, rc = 0;
    while (!rc && hand.listener >= 0 && (s = accept4(hand.listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        rc = receive(s);
    if (!rc && hand.listener >= 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        rc = -errno;
    return rc;
}

static bool has_ended(int pid)
{
    return kill(pid, 0) && errno == ESRCH;
}

int uat_handover_give(int pid, uint32_t socket, int fd)
{
    struct uat_relax relax = {0};
    int rc = -EACCES;
    for (int i = 1; socket && ((rc = try_give(socket, fd)) == -EAGAIN || rc == -ETOOMANYREFS); i++) {
        if (i % LOOKS == 0 && has_ended(pid))
            return -ESRCH;
        int full = receive_all(); /* the peer may wait for room here */
        if (full)
            return full;
        uat_relax_long(&relax);
    }
    return rc;
}

int uat_handover_offer(int fd)
{
    int rc = 0;
    for (size_t i = 0; i < hand.receiver_count && !rc; i++)
        rc = uat_handover_give(hand.receivers[i].pid, hand.receivers[i].socket, fd);
    return rc;
}

static struct held *find(uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < hand.held_count; i++)
        if (hand.held[i].device == device && hand.held[i].inode == inode)
            return &hand.held[i];
    return NULL;
}

static bool is_noted(int pid)
{
    for (size_t i = 0; i < hand.receiver_count; i++)
        if (hand.receivers[i].pid == pid)
            return true;
    return false;
}

int uat_handover_take(int pid, uint64_t device, uint64_t inode)
{
    struct uat_relax relax = {0};
    const struct held *held;
    if (hand.listener < 0 || !is_noted(pid))
        return -EACCES;
    for (int i = 1; !(held = find(device, inode)); i++) {
        bool ended = i % LOOKS == 0 && has_ended(pid);
        int rc = receive_all();
        if (!rc && ended && !find(device, inode))
            rc = -ESRCH;
        if (rc)
            return rc;
        uat_relax_long(&relax);
    }
    int copy = fcntl(held->fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
}

void uat_handover_drop(uint64_t device, uint64_t inode)
{
    struct held *held;
    (void)receive_all(); /* a later take() reports the error */
    while ((held = find(device, inode)) != NULL) {
        close(held->fd);
        *held = hand.held[--hand.held_count];
    }
}
