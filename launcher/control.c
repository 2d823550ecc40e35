/* SPDX-License-Identifier: MIT */
#include "launcher/control.h"

#include "include/uat.h"
#include "launcher/launcher.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_S = 5 }; /* how long the guard waits for the bytes of a connection that it has accepted */

struct request {
    char version[16]; /* of uatrun; both ends must be of the same one */
    struct uat_wish wish;
};

struct answer {
    int status;
    char line[256];
};

/* The address of the guard with process number pid. Returns its length. */
static socklen_t address_of(struct sockaddr_un *address, pid_t pid)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "uatrun.%ld", (long)pid);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int uat_control_open(void)
{
    struct sockaddr_un address;
    socklen_t length = address_of(&address, getpid());
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, length) || listen(fd, 8)) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

static int is_of_this_user(int connection)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    errno = EPERM; /* the reason if it is another user */
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

int uat_control_take(int control, struct uat_wish *wish)
{
    struct request request;
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int connection = accept4(control, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return -errno;
    if (!is_of_this_user(connection)) {
        close(connection);
        return -EPERM;
    }
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ssize_t n = recv(connection, &request, sizeof(request), 0);
    if (n != sizeof(request) || strncmp(request.version, UAT_VERSION, sizeof(request.version)) != 0) {
        uat_control_answer(connection, UAT_STATUS_FAILED, "the job's uatrun has the version " UAT_VERSION);
        return -EPROTO;
    }
    *wish = request.wish;
    return connection;
}

void uat_control_answer(int connection, int status, const char *line)
{
    struct answer answer = {.status = status};
    snprintf(answer.line, sizeof(answer.line), "%s", line);
    send(connection, &answer, sizeof(answer), MSG_NOSIGNAL); /* if the sender has gone, nobody needs the answer */
    close(connection);
}

/* What was asked for, for messages. */
static const char *name_of(const struct uat_wish *wish, char *text, size_t size)
{
    if (wish->kind == UAT_WISH_RESTART)
        snprintf(text, size, "--resize %d", wish->workers);
    else if (wish->kind == UAT_WISH_LIMIT)
        snprintf(text, size, "--ctl %ld resize %d", wish->pid, wish->workers);
    else
        snprintf(text, size, "--ctl %ld status", wish->pid);
    return text;
}

int uat_control_ask(const struct uat_wish *wish, double timeout)
{
    struct sockaddr_un address;
    socklen_t length = address_of(&address, (pid_t)wish->pid);
    struct request request = {.version = UAT_VERSION, .wish = *wish};
    struct answer answer;
    char name[64];
    name_of(wish, name, sizeof(name));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) || !is_of_this_user(fd)) {
        uat_say("%s: process %ld is no uatrun with a job of this user here (%s)", name, wish->pid, strerror(errno));
        if (fd >= 0)
            close(fd);
        return UAT_STATUS_FAILED;
    }
    double limit = timeout > 0 && timeout < 1e-6 ? 1e-6 : timeout; /* 0: none */
    struct timeval patience = {.tv_sec = (time_t)limit, .tv_usec = (suseconds_t)(fmod(limit, 1) * 1e6)};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ssize_t n = send(fd, &request, sizeof(request), MSG_NOSIGNAL);
    n = n == sizeof(request) ? recv(fd, &answer, sizeof(answer), 0) : n;
    bool late = n < 0 && errno == EAGAIN;
    close(fd);
    if (late) {
        uat_say("%s: no answer within %g s (--timeout); the job has not come to %s yet", name, timeout,
                wish->kind == UAT_WISH_RESTART ? "a checkpoint" : "a run or a spawn");
        return UAT_STATUS_TIMEOUT;
    }
    if (n != sizeof(answer)) {
        uat_say("%s: process %ld ended before it answered, or refused this user", name, wish->pid);
        return UAT_STATUS_FAILED;
    }
    answer.line[sizeof(answer.line) - 1] = '\0';
    if (answer.status)
        uat_say("%s: %s", name, answer.line);
    else
        printf("%s\n", answer.line);
    return answer.status;
}
