/* SPDX-License-Identifier: MIT */
/*
 * Description: the kernel tells which user holds the far end of a connection. It does so through netlink or, if netlink
 * cannot answer, through its list of sockets. A closed end has no owner.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "launcher/launcher.h"
#include "tests/test.h"

/* What the kernel lacks: nothing, netlink's sock_diag, or tcp_diag. Without tcp_diag, sock_diag answers every question
 * with ENOENT. */
enum { COMPLETE, NO_NETLINK, NO_TCP_DIAG };
static int kernel;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
    if (domain != AF_NETLINK || kernel != NO_NETLINK)
        return __real_socket(domain, type, protocol);
    errno = EPROTONOSUPPORT;
    return -1;
}

ssize_t __real_recv(int fd, void *data, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t size, int flags)
{
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
    } no = {.head = {.nlmsg_len = sizeof(no), .nlmsg_type = NLMSG_ERROR}, .error = {.error = -ENOENT}};
    if (kernel != NO_TCP_DIAG)
        return __real_recv(fd, data, size, flags);
    memcpy(data, &no, sizeof(no) < size ? sizeof(no) : size);
    return sizeof(no);
}

static int owner_of(int fd, uid_t *owner)
{
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof(own), peer_size = sizeof(peer);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &own_size), 0);
    assert_int_equal(getpeername(fd, (struct sockaddr *)&peer, &peer_size), 0);
    return uat_door_owner((struct sockaddr *)&own, (struct sockaddr *)&peer, owner);
}

static void test_owner(void **state)
{
    kernel = *state ? *(const int *)*state : COMPLETE;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(at);
    uid_t owner = (uid_t)-1;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&at, size), 0);
    int server = accept(listener, NULL, NULL); /* the listener's end; this process owns the far end */
    assert_true(server >= 0);
    assert_int_equal(owner_of(server, &owner), 0);
    assert_int_equal(owner, geteuid());
    close(client);
    assert_int_equal(owner_of(server, &owner), -ENOENT);
    close(server);
    close(listener);
}

int main(void)
{
    static int no_netlink = NO_NETLINK, no_tcp_diag = NO_TCP_DIAG;
    const struct CMUnitTest tests[] = {{"netlink", test_owner, NULL, NULL, NULL},
                                       {"list, without netlink", test_owner, NULL, NULL, &no_netlink},
                                       {"list, without tcp_diag", test_owner, NULL, NULL, &no_tcp_diag}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
