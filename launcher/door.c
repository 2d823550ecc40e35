/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ask netlink about the socket at the other end of our connection. That socket has our two addresses, swapped. */
static int ask_netlink(const struct sockaddr_in *own, const struct sockaddr_in *peer, uid_t *owner)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 ask;
    } question = {
        .head = {.nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .ask = {.sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_ESTABLISHED}};
    union {
        struct nlmsghdr head;
        char bytes[1024];
    } answer;
    question.ask.id.idiag_sport = peer->sin_port;
    question.ask.id.idiag_dport = own->sin_port;
    question.ask.id.idiag_src[0] = peer->sin_addr.s_addr;
    question.ask.id.idiag_dst[0] = own->sin_addr.s_addr;
    question.ask.id.idiag_cookie[0] = question.ask.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return -errno;
    int rc = send(fd, &question, sizeof(question), 0) < 0 ? -errno : 0;
    ssize_t n = rc ? 0 : recv(fd, &answer, sizeof(answer), 0);
    close(fd);
    if (rc || n < (ssize_t)(NLMSG_HDRLEN + sizeof(struct nlmsgerr)))
        return rc ? rc : -EIO;
    if (answer.head.nlmsg_type == NLMSG_ERROR)
        return ((struct nlmsgerr *)NLMSG_DATA(&answer.head))->error;
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || n < (ssize_t)(NLMSG_HDRLEN + sizeof(struct inet_diag_msg)))
        return -EIO;
    const struct inet_diag_msg *found = NLMSG_DATA(&answer.head);
    if (found->idiag_state != TCP_ESTABLISHED)
        return -ENOENT;
    *owner = found->idiag_uid;
    return 0;
}

/* Search the list of all sockets, for kernels without tcp_diag. */
static int ask_list(const struct sockaddr_in *own, const struct sockaddr_in *peer, uid_t *owner)
{
    unsigned local, local_port, remote, remote_port, state, uid;
    char line[512];
    int rc = -ENOENT;
    FILE *list = fopen("/proc/self/net/tcp", "re");
    if (!list)
        return -errno;
    while (rc && fgets(line, sizeof(line), list))
        if (sscanf(line, "%*d: %8X:%4X %8X:%4X %2X %*s %*s %*s %u", &local, &local_port, &remote, &remote_port, &state,
                   &uid) == 6 &&
            local == peer->sin_addr.s_addr && local_port == ntohs(peer->sin_port) && remote == own->sin_addr.s_addr &&
            remote_port == ntohs(own->sin_port) && state == TCP_ESTABLISHED) {
            *owner = uid;
            rc = 0;
        }
    fclose(list);
    return rc;
}

int uat_door_owner(const struct sockaddr *own, const struct sockaddr *peer, uid_t *owner)
{
    if (own->sa_family != AF_INET || peer->sa_family != AF_INET)
        return -EAFNOSUPPORT;
    const struct sockaddr_in *here = (const void *)own, *there = (const void *)peer;
    int rc = ask_netlink(here, there, owner);
    /* Search the list even after -ENOENT, because a kernel without tcp_diag also returns -ENOENT. */
    return rc ? ask_list(here, there, owner) : 0;
}

/* Is a process of this user at the other end of fd? Reports the first connection of another user. */
static bool is_ours(int fd)
{
    static bool told;
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
    uid_t owner;
    if (getsockname(fd, (struct sockaddr *)&own, &own_size) || getpeername(fd, (struct sockaddr *)&peer, &peer_size))
        return false;
    int rc = uat_door_owner((struct sockaddr *)&own, (struct sockaddr *)&peer, &owner);
    if (rc == 0 && owner == geteuid())
        return true;
    if (rc == -ENOENT) /* the other end has closed already */
        return false;
    if (!told && rc)
        uat_say("a connection to the PMIx server is closed: the kernel does not name its user: %s", strerror(-rc));
    else if (!told)
        uat_say("a connection of user %u to the PMIx server is closed: only processes of user %u take part in the job; "
                "more of them are not reported",
                (unsigned)owner, (unsigned)geteuid());
    told = true;
    return false;
}

/* Replaces the C library's accept() for libpmix. This function fails with ECONNABORTED for another user's connection,
 * as if the client had closed the connection. libpmix then continues. */
int uat_door_accept(int fd, struct sockaddr *address, socklen_t *size) __asm__("accept");

__attribute__((visibility("default"), used)) int uat_door_accept(int fd, struct sockaddr *address, socklen_t *size)
{
    int new = accept4(fd, address, size, SOCK_CLOEXEC), family;
    socklen_t family_size = sizeof(family);
    if (new < 0 || getsockopt(new, SOL_SOCKET, SO_DOMAIN, &family, &family_size) || family == AF_UNIX || is_ours(new))
        return new;
    close(new);
    errno = ECONNABORTED;
    return -1;
}
