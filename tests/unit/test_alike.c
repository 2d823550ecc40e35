/* SPDX-License-Identifier: MIT */
/* Description: several workers of a host meet an error. One of them prints the error, with the number of the others. If
 * that worker is killed before it prints, another worker prints. If it is interrupted before it listens, the others
 * wait. Connections of other users do not delay the line. No other worker of the host prints the same error while the
 * worker that printed it lives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/alike.h"

enum { NOBODY = 65534, TRIES = 50 };

static int output[2]; /* the workers' standard error */
static int jobs;      /* each job has its own name */

static void begin(void)
{
    char name[64];
    snprintf(name, sizeof(name), "test-alike-%d-%d", (int)getpid(), jobs++);
    assert_int_equal(setenv("UATRUN_RANK", "0", 1), 0);
    assert_int_equal(setenv("UATRUN_MEETING", name, 1), 0);
    assert_int_equal(pipe(output), 0);
}

/* Start a worker that meets the error, on a host with this number of workers. */
static pid_t start(int workers)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    dup2(output[1], STDERR_FILENO);
    close(output[0]);
    close(output[1]);
    uat_alike_open("host", workers);
    uat_error("out of luck");
    _exit(0);
}

/* Wait until all workers have ended, and end the trial. Returns everything that the workers printed. */
static const char *printed(void)
{
    static char text[10000];
    size_t at = 0;
    close(output[1]);
    for (ssize_t n; (n = read(output[0], text + at, sizeof(text) - 1 - at)) > 0;)
        at += (size_t)n;
    text[at] = 0;
    close(output[0]);
    return text;
}

/* Returns the number of sockets that have a speaker's name, and copies that name. A connection that waits to be
 * accepted counts as a socket. */
static int speakers(char name[108])
{
    FILE *file = fopen("/proc/net/unix", "re");
    char line[300], prefix[32];
    int n = 0;
    snprintf(prefix, sizeof(prefix), "@uat-alike-%u-", (unsigned)geteuid());
    for (char *at; file && fgets(line, sizeof(line), file);)
        if ((at = strstr(line, prefix))) {
            at[strcspn(at, "\n")] = 0;
            snprintf(name, 108, "%s", at);
            n++;
        }
    if (file)
        fclose(file);
    return n;
}

/* The workers print one line between them. This needs a machine that runs them soon after one another. */
static void test_together(void **state)
{
    (void)state;
    enum { WORKERS = 5 };
    for (int i = 0; i < TRIES; i++) {
        begin();
        for (int w = 0; w < WORKERS; w++)
            start(WORKERS);
        const char *text = printed();
        while (wait(NULL) > 0)
            ;
        if (strcmp(text, "uat: out of luck (and 4 other workers of this host)\n") == 0)
            return;
    }
    fail_msg("not one line for all in %d trials", TRIES);
}

static void test_killed(void **state)
{
    (void)state;
    char name[108];
    for (int i = 0; i < TRIES; i++) {
        begin();
        int ended = 0;
        pid_t speaker = start(3), other = -1;
        while (speakers(name) == 0 && !(ended = waitpid(speaker, NULL, WNOHANG)))
            ;
        if (!ended) { /* stop the worker before it prints; it prints 0.3 s after it has taken the name */
            kill(speaker, SIGSTOP);
            other = start(3);
            while (speakers(name) < 2 && waitpid(other, NULL, WNOHANG) == 0)
                ;
            kill(speaker, SIGKILL);
        }
        const char *text = printed();
        while (wait(NULL) > 0)
            ;
        if (!ended && !strstr(text, "of this host")) {
            assert_string_equal(text, "uat: out of luck\n"); /* printed by the other worker */
            return;
        }
    }
    fail_msg("the first worker has printed before it was stopped, %d times", TRIES);
}

/* Take this name, as a worker does that is interrupted between bind() and listen(). Returns the socket. */
static int take(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) == 0);
    return fd;
}

/* Store the name that the speaker of the next trial will take. */
static void foresee(char name[108])
{
    bool seen = false;
    for (int i = 0; i < TRIES && !seen; i++) {
        begin();
        pid_t speaker = start(3);
        while (!seen && waitpid(speaker, NULL, WNOHANG) == 0)
            seen = speakers(name) > 0;
        if (seen) /* not reaped yet */
            kill(speaker, SIGKILL);
        (void)printed();
        while (wait(NULL) > 0)
            ;
    }
    assert_true(seen);
    jobs--; /* the next trial is the same job */
}

/* A worker that finds the name taken waits until the other one listens. */
static void test_interrupted(void **state)
{
    (void)state;
    char name[108];
    foresee(name);
    begin();
    int taken = take(name);
    pid_t worker = start(3);
    usleep(50000); /* time for the worker to find the name taken, and nobody who listens */
    assert_int_equal(listen(taken, 3), 0);
    bool again = poll(&(struct pollfd){.fd = taken, .events = POLLIN}, 1, 5000) == 1;
    int connection = again ? accept(taken, NULL, NULL) : -1;
    bool sent = send(connection, "", 1, MSG_NOSIGNAL) == 1; /* the line is printed */
    close(connection);
    close(taken);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
    assert_true(again && sent);
    assert_string_equal(printed(), "");
}

/* Connect again and again as another user, until no process listens. */
static void disturb(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    if (setuid(NOBODY))
        _exit(1);
    for (int fd = -1;; usleep(20000)) {
        close(fd);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (const struct sockaddr *)&address, size))
            _exit(0);
    }
}

static void test_disturbed(void **state)
{
    (void)state;
    char name[108];
    if (geteuid() != 0)
        skip();
    for (int i = 0; i < TRIES; i++) {
        begin();
        int ended = 0;
        pid_t speaker = start(3), stranger = -1;
        while (speakers(name) == 0 && !(ended = waitpid(speaker, NULL, WNOHANG)))
            ;
        if (!ended && (stranger = fork()) == 0) {
            close(output[0]);
            close(output[1]);
            disturb(name);
        }
        assert_string_equal(printed(), "uat: out of luck\n");
        while (wait(NULL) > 0)
            ;
        if (!ended)
            return;
    }
    fail_msg("the worker has printed before it was seen, %d times", TRIES);
}

/* Start a worker that asks whether it may print about this matter, and then ends. Returns the answer that it got. */
static bool speaks(uint64_t number)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        uat_alike_open("host", 3);
        _exit(uat_alike_speaks("fence", number));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

static void test_speaks(void **state)
{
    (void)state;
    char byte = 0;
    begin();
    pid_t first = fork();
    if (first == 0) {
        uat_alike_open("host", 3);
        byte = uat_alike_speaks("fence", 1) ? 'y' : 'n';
        if (write(output[1], &byte, 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(output[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_false(speaks(1));
    assert_true(speaks(2));
    kill(first, SIGKILL);
    assert_int_equal(waitpid(first, NULL, 0), first);
    assert_true(speaks(1));
    close(output[0]);
    close(output[1]);
}

int main(void)
{
    (void)unshare(CLONE_NEWNET); /* as root, hide the names of other jobs */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together),  cmocka_unit_test(test_killed), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_disturbed), cmocka_unit_test(test_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
