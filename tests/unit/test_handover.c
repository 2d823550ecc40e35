/* SPDX-License-Identifier: MIT */
/*
 * Description: workers hand descriptors to each other. Many descriptors wait until they are taken, in any order. A
 * worker refuses descriptors from another user, and gives none to another user. A worker that waits for an ended worker
 * gets an error.
 */
#include "tests/test.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memfd.h"
#include "transport/handover.h"

enum { SOME_SPACE = 1, INITIAL_SPACE = (int)0xEFFFFFFD, STRANGER = 65533, OBJECTS = 40 };

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
    uint32_t number = uat_handover_open(SOME_SPACE);
    struct stat got;
    make_objects();
    assert_true(number > 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < OBJECTS; i++)
            if (uat_handover_give(getppid(), number, fds[i]))
                _exit(1);
        _exit(0);
    }
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(take(getpid(), 0), -EACCES); /* not noted */
    assert_int_equal(uat_handover_add(getpid(), number), 0);
    for (int i = OBJECTS - 1; i >= 0; i--) {
        int fd = take(getpid(), i);
        assert_true(fd >= 0 && fstat(fd, &got) == 0 && got.st_ino == objects[i].st_ino && got.st_size == 1 + i);
        close(fd);
    }
    uat_handover_drop(objects[3].st_dev, objects[3].st_ino);
    assert_int_equal(uat_handover_add(child, number), 0);
    assert_int_equal(take(child, 3), -ESRCH); /* dropped, and the giver has ended */
    assert_true(take(child, 4) >= 0);
    assert_int_equal(uat_handover_offer(fds[OBJECTS]), 0); /* to both noted workers, which are this one */
    assert_true(take(getpid(), OBJECTS) >= 0);
    uat_handover_close();
    assert_int_equal(uat_handover_give(getpid(), number, fds[0]), -ECONNREFUSED);
    assert_int_equal(uat_handover_open((unsigned)INITIAL_SPACE), 0);
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

TEST(strangers)
{
    uint32_t theirs = 0, number = uat_handover_open(SOME_SPACE);
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
    assert_int_equal(uat_handover_add(child, number), 0);
    assert_int_equal(take(child, 1), -ESRCH); /* the descriptor has arrived, and was refused */

    child = fork();
    if (child == 0) {
        theirs = setresuid(STRANGER, STRANGER, STRANGER) ? 0 : uat_handover_open(SOME_SPACE);
        if (write(ready[1], &theirs, sizeof(theirs)) == sizeof(theirs))
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &theirs, sizeof(theirs)), sizeof(theirs));
    assert_true(theirs > 0);
    assert_int_equal(uat_handover_give(child, theirs, fds[0]), -EPERM);
    kill(child, SIGKILL);
    wait_for(child);
    uat_handover_close();
}
