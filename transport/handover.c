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

#include "base/clock.h"
#include "base/log.h"
#include "base/relax.h"

enum {
    LOOKS = 100,    /* polls between two checks that the peer is alive */
    ACCEPTS = 64,   /* connections that are accepted between two looks at the time: a stranger may make more forever */
    BACKLOG = 4096, /* connections that may wait; the kernel may lower this number (net.core.somaxconn) */
    NAME_DIGITS = 5 /* the kernel chooses abstract names of 5 hexadecimal digits: unix(7), "Autobind feature" */
};
enum { OVERFLOW_UID = 65534 };           /* of every user who is not mapped into a namespace (user_namespaces(7)) */
#define INITIAL_USER_SPACE 0xEFFFFFFDull /* PROC_USER_INIT_INO of Linux: the same in every kernel */

struct held {
    int fd;
    uint64_t device, inode;
};

struct partner {
    int rank, pid;
    int out; /* the connection to its socket */
};

/* A connection that a process of this user made to this worker's socket. */
struct incoming {
    int pid;
    int fd; /* -1: the other end is closed */
};

static struct {
    int listener;
    int wait_report, wait_limit; /* seconds; 0: never */
    unsigned strangers;          /* refused connections */
    struct held *held;           /* descriptors that have arrived */
    size_t held_count;
    struct partner *partners;
    size_t partner_count;
    struct incoming *incoming;
    size_t incoming_count;
} hand = {.listener = -1};

uint32_t uat_handover_open(uint64_t user_space, int wait_report, int wait_limit)
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
    hand.wait_report = wait_report;
    hand.wait_limit = wait_limit;
    return 1 + (uint32_t)strtoul(name.sun_path + 1, NULL, 16);
}

void uat_handover_close(void)
{
    for (size_t i = 0; i < hand.held_count; i++)
        close(hand.held[i].fd);
    for (size_t i = 0; i < hand.partner_count; i++)
        close(hand.partners[i].out);
    for (size_t i = 0; i < hand.incoming_count; i++)
        if (hand.incoming[i].fd >= 0)
            close(hand.incoming[i].fd);
    if (hand.listener >= 0)
        close(hand.listener);
    free(hand.held);
    free(hand.partners);
    free(hand.incoming);
    memset(&hand, 0, sizeof(hand));
    hand.listener = -1;
}

/* The process at the other end, if it has this worker's user; otherwise 0. The kernel translates user and process into
 * this worker's namespaces. */
static int own_process_at(int s)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    bool own = getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
    return own ? peer.pid : 0;
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

/* Connect to the socket of process `pid`. Returns the connection, or a negative errno; -EAGAIN: the queue of
 * connections to this socket is full. */
static int try_connect(int pid, uint32_t number)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + NAME_DIGITS;
    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%0*x", NAME_DIGITS, number - 1);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return -errno;
    int rc = connect(s, (struct sockaddr *)&name, size) ? -errno : own_process_at(s) == pid ? s : -EPERM;
    if (rc < 0)
        close(s);
    return rc;
}

/* Receive one descriptor. Returns 1, or 0 if there is none now, or a negative errno if this process has no room for
 * it. */
static int receive(struct incoming *in)
{
    char byte;
    int fd = -1;
    struct stat object;
    struct iovec data = {&byte, 1};
    union control control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    ssize_t got = recvmsg(in->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got != 1) {
        close(in->fd);
        in->fd = -1;
        return 0;
    }
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (message.msg_flags & MSG_CTRUNC) /* the kernel has closed the descriptor: the table is full */
        return -EMFILE;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(fd)))
        memcpy(&fd, CMSG_DATA(head), sizeof(fd));
    if (fd < 0)
        return 1;
    struct held *more = realloc(hand.held, (hand.held_count + 1) * sizeof(*more));
    if (more)
        hand.held = more;
    if (more && !fstat(fd, &object))
        more[hand.held_count++] = (struct held){fd, object.st_dev, object.st_ino};
    else
        close(fd);
    return more ? 1 : -ENOMEM;
}

static bool has_connected(int pid)
{
    for (size_t i = 0; i < hand.incoming_count; i++)
        if (hand.incoming[i].pid == pid && hand.incoming[i].fd >= 0)
            return true;
    return false;
}

/* Has some partner yet to connect? Otherwise nobody looks at the queue of connections, which strangers may fill. */
static bool awaits_connection(void)
{
    for (size_t i = 0; i < hand.partner_count; i++)
        if (!has_connected(hand.partners[i].pid))
            return true;
    return false;
}

/* Accept connections of this user's processes, and refuse others. Returns 0, or a negative errno if this process has no
 * room for them. */
static int accept_some(void)
{
    int s = 0;
    for (int n = 0; n < ACCEPTS && s >= 0 && hand.listener >= 0 && awaits_connection(); n++) {
        if ((s = accept4(hand.listener, NULL, NULL, SOCK_CLOEXEC)) < 0)
            break;
        int pid = own_process_at(s);
        struct incoming *more = pid ? realloc(hand.incoming, (hand.incoming_count + 1) * sizeof(*more)) : NULL;
        if (more) {
            hand.incoming = more;
            more[hand.incoming_count++] = (struct incoming){pid, s};
            continue;
        }
        close(s);
        if (pid)
            return -ENOMEM;
        hand.strangers++;
    }
    bool full = s < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
    return full ? -errno : 0;
}

/* Receive what has been sent. Returns 0, or a negative errno if this process has no room for it. */
static int receive_all(void)
{
    int rc = accept_some();
    for (size_t i = 0; i < hand.incoming_count && rc >= 0; i++)
        do
            rc = hand.incoming[i].fd >= 0 ? receive(&hand.incoming[i]) : 0;
        while (rc > 0);
    return rc;
}

static bool has_ended(int pid)
{
    return kill(pid, 0) && errno == ESRCH;
}

/* A wait for a partner. */
struct wait {
    int rank, pid;
    const char *what;
    struct uat_relax relax;
    int polls;
    uint64_t since; /* ns; 0: the wait has just begun */
    bool reported;
};

/* Pause between two polls, and meanwhile receive what partners send, which may wait for room here. Reports a long wait
 * once. Returns 0 or a negative errno. */
static int wait_more(struct wait *w)
{
    bool ended = ++w->polls % LOOKS == 0 && has_ended(w->pid); /* before the last look at what it has sent */
    int rc = receive_all();
    if (rc || ended)
        return rc ? rc : -ESRCH;
    uat_relax_long(&w->relax);
    uint64_t now = uat_clock_ns();
    w->since = w->since ? w->since : now;
    int seconds = (int)((now - w->since) / 1000000000);
    if (hand.wait_limit && seconds >= hand.wait_limit)
        return -ETIMEDOUT;
    if (hand.wait_report && seconds >= hand.wait_report && !w->reported) {
        w->reported = true;
        uat_warn("has waited %d s for rank %d (pid %d), which runs in another user namespace, to %s; %u connections of "
                 "other users were refused here; it goes on waiting (UAT_STALL_TIMEOUT=%d)",
                 seconds, w->rank, w->pid, w->what, hand.strangers, hand.wait_report);
    }
    return 0;
}

int uat_handover_add(int rank, int pid, uint32_t socket)
{
    struct wait wait = {.rank = rank, .pid = pid, .what = "accept a connection to its socket, whose queue is full"};
    int s = socket ? -EAGAIN : -EACCES, rc = 0;
    while (!rc && socket && (s = try_connect(pid, socket)) == -EAGAIN)
        rc = wait_more(&wait);
    if (rc || s < 0)
        return rc ? rc : s;
    struct partner *more = realloc(hand.partners, (hand.partner_count + 1) * sizeof(*more));
    if (!more) {
        close(s);
        return -ENOMEM;
    }
    hand.partners = more;
    more[hand.partner_count++] = (struct partner){rank, pid, s};
    return 0;
}

static struct partner *partner_of(int pid)
{
    for (size_t i = 0; i < hand.partner_count; i++)
        if (hand.partners[i].pid == pid)
            return &hand.partners[i];
    return NULL;
}

static int give_to(const struct partner *to, int fd)
{
    struct wait wait = {.rank = to->rank, .pid = to->pid, .what = "take descriptors"};
    int rc = send_descriptor(to->out, fd);
    /* EAGAIN, ETOOMANYREFS: the partner must take other descriptors first. */
    while (rc == -EAGAIN || rc == -ETOOMANYREFS) {
        rc = wait_more(&wait);
        if (!rc)
            rc = send_descriptor(to->out, fd);
    }
    return rc == -EPIPE || rc == -ECONNRESET ? -ESRCH : rc;
}

int uat_handover_give(int pid, int fd)
{
    const struct partner *to = partner_of(pid);
    return to ? give_to(to, fd) : -EACCES;
}

int uat_handover_offer(int fd)
{
    int rc = 0;
    for (size_t i = 0; i < hand.partner_count && !rc; i++)
        rc = give_to(&hand.partners[i], fd);
    return rc;
}

static struct held *find(uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < hand.held_count; i++)
        if (hand.held[i].device == device && hand.held[i].inode == inode)
            return &hand.held[i];
    return NULL;
}

int uat_handover_take(int pid, uint64_t device, uint64_t inode)
{
    const struct partner *from = partner_of(pid);
    const struct held *held;
    int rc = from ? receive_all() : -EACCES;
    struct wait wait = {.rank = from ? from->rank : -1, .pid = pid, .what = "send a descriptor"};
    while (!(held = find(device, inode)) && !rc)
        rc = wait_more(&wait);
    if (!held)
        return rc;
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
