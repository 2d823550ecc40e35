/* SPDX-License-Identifier: MIT */
/*
 * Description: workers hand descriptors to each other. Many descriptors wait until they are taken, in any order. A
 * worker refuses descriptors from another user, and gives none to another user. Once two workers are connected, another
 * user who fills the queues of their sockets does not disturb them. A worker that waits for an ended worker gets an
 * error. A long wait is reported, and ends.
 */
#include "tests/test.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "transport/handover.h"

enum { NEVER = 0, SOME_SPACE = 1, INITIAL_SPACE = (int)0xEFFFFFFD, STRANGER = 65533, OBJECTS = 40 };

static struct stat objects[OBJECTS + 1];
static int fds[OBJECTS + 1];

static void make_objects(void)
{
    for (int i = 0; i <= OBJECTS; i++) {
        fds[i] = uat_memfd("test", 0);
        assert_true(fds[i] >= 0 && ftruncate(fds[i], 1 + i) == 0 && fstat(fds[i], &objects[i]) == 0);
    }
}

static int wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int take(int pid, int i)
{
    return uat_handover_take(pid, objects[i].st_dev, objects[i].st_ino);
}

TEST(any_order)
{
    uint32_t number = uat_handover_open(SOME_SPACE, NEVER, NEVER);
    struct stat got;
    make_objects();
    assert_true(number > 0);
    pid_t child = fork();
    if (child == 0) {
        if (uat_handover_add(0, getppid(), number))
            _exit(1);
        for (int i = 0; i < OBJECTS; i++)
            if (uat_handover_give(getppid(), fds[i]))
                _exit(1);
        _exit(0);
    }
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(take(getpid(), 0), -EACCES);                     /* not noted */
    assert_int_equal(uat_handover_add(1, getppid(), number), -EPERM); /* another process has this socket */
    assert_int_equal(uat_handover_add(1, getpid(), number), 0);
    for (int i = OBJECTS - 1; i >= 0; i--) {
        int fd = take(getpid(), i);
        assert_true(fd >= 0 && fstat(fd, &got) == 0 && got.st_ino == objects[i].st_ino && got.st_size == 1 + i);
        close(fd);
    }
    uat_handover_drop(objects[3].st_dev, objects[3].st_ino);
    assert_int_equal(uat_handover_offer(fds[OBJECTS]), 0); /* to the noted worker, which is this one */
    assert_true(take(getpid(), OBJECTS) >= 0);
    uat_handover_close();
    assert_int_equal(uat_handover_give(getpid(), fds[0]), -EACCES);
    assert_int_equal(uat_handover_add(1, getpid(), number), -ECONNREFUSED);
    assert_int_equal(uat_handover_open((unsigned)INITIAL_SPACE, NEVER, NEVER), 0);
}

/* Send a descriptor as uat_handover_give() does, but without its check of the receiver. */
static int send_as_stranger(uint32_t number, int fd)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char byte = 0, control[CMSG_SPACE(sizeof(fd))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%05x", number - 1);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    return setresuid(STRANGER, STRANGER, STRANGER) ||
           connect(s, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 6) ||
           sendmsg(s, &message, MSG_NOSIGNAL) != 1;
}

/* A child that is connected with this worker, sends object `give` unless it is negative, and pauses. */
static pid_t start_partner(uint32_t number, int give)
{
    uint32_t theirs;
    int say[2];
    assert_int_equal(pipe(say), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also after a failed assertion */
        theirs = uat_handover_open(SOME_SPACE, NEVER, NEVER);
        if (uat_handover_add(0, getppid(), number) || (give >= 0 && uat_handover_give(getppid(), fds[give])) ||
            write(say[1], &theirs, sizeof(theirs)) != sizeof(theirs))
            _exit(1);
        pause();
    }
    close(say[1]); /* so that the read ends if the child has failed */
    assert_int_equal(read(say[0], &theirs, sizeof(theirs)), sizeof(theirs));
    assert_int_equal(uat_handover_add(1, child, theirs), 0);
    close(say[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    wait_for(child);
}

TEST(long_waits)
{
    char text[512] = "";
    uint32_t number = uat_handover_open(SOME_SPACE, 1, 2);
    int said = uat_memfd("said", 0), saved = dup(STDERR_FILENO);
    make_objects();
    pid_t child = start_partner(number, 1);
    dup2(said, STDERR_FILENO);
    int rc = take(child, 0);
    dup2(saved, STDERR_FILENO);
    assert_int_equal(rc, -ETIMEDOUT);
    assert_true(pread(said, text, sizeof(text) - 1, 0) > 0);
    const char *line = strstr(text, "has waited 1 s for rank 1 ");
    assert_true(line && !strstr(line + 1, "has waited"));    /* once */
    uat_handover_drop(objects[1].st_dev, objects[1].st_ino); /* which has come meanwhile */
    end(child);
    assert_int_equal(take(child, 0), -ESRCH);
    assert_int_equal(take(child, 1), -ESRCH);
    uat_handover_close();
}

/* Make connections to the socket until its queue is full, as another user. Then pause. */
static pid_t start_flood(uint32_t number)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char byte;
    int say[2], rc = 0;
    assert_int_equal(pipe(say), 0);
    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%05x", number - 1);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) || setresuid(STRANGER, STRANGER, STRANGER))
            _exit(1);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* setresuid() has cleared it */
        while (!rc)
            rc = connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&name,
                         offsetof(struct sockaddr_un, sun_path) + 6);
        if (errno != EAGAIN || write(say[1], "", 1) != 1)
            _exit(1);
        pause();
    }
    close(say[1]);
    assert_int_equal(read(say[0], &byte, 1), 1);
    close(say[0]);
    return child;
}

TEST(full_queue)
{
    uint32_t number = uat_handover_open(SOME_SPACE, NEVER, NEVER);
    if (geteuid() != 0) {
        print_message("only root can act as two users\n");
        skip();
    }
    make_objects();
    pid_t partner = start_partner(number, 1);
    assert_true(take(partner, 1) >= 0);
    pid_t stranger = start_flood(number);
    assert_int_equal(uat_handover_give(partner, fds[2]), 0);
    pid_t other = fork();
    if (other == 0) { /* a worker that is not connected yet reports the wait */
        uat_handover_close();
        uat_handover_open(SOME_SPACE, NEVER, 1);
        _exit(uat_handover_add(0, getppid(), number) == -ETIMEDOUT ? 0 : 1);
    }
    assert_int_equal(wait_for(other), 0);
    end(stranger);
    end(partner);
    uat_handover_close();
}

TEST(strangers)
{
    uint32_t theirs = 0, number = uat_handover_open(SOME_SPACE, NEVER, NEVER);
    int ready[2];
    if (geteuid() != 0) {
        print_message("only root can act as two users\n");
        skip();
    }
    assert_true(number > 0 && pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(send_as_stranger(number, fds[1]));
    assert_int_equal(wait_for(child), 0);
    pid_t partner = start_partner(number, -1);
    end(partner);
    assert_int_equal(take(partner, 1), -ESRCH); /* the stranger's descriptor has arrived, and was refused */

    child = fork();
    if (child == 0) {
        theirs = setresuid(STRANGER, STRANGER, STRANGER) ? 0 : uat_handover_open(SOME_SPACE, NEVER, NEVER);
        if (write(ready[1], &theirs, sizeof(theirs)) == sizeof(theirs))
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &theirs, sizeof(theirs)), sizeof(theirs));
    assert_true(theirs > 0);
    assert_int_equal(uat_handover_add(1, child, theirs), -EPERM);
    end(child);
    uat_handover_close();
}
