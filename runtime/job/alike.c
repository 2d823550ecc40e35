/* SPDX-License-Identifier: MIT */
/*
 * The first worker that meets an error is the speaker. It listens on an abstract socket whose name stands for job, host
 * and error. The other workers find the name taken, connect, and wait until the speaker has printed. They end the job
 * only after that, because the job's end would also end the speaker. No file is involved, and the kernel frees the
 * name.
 *
 * A worker stays silent only if the speaker has said that it printed the line. The speaker says so by sending a byte. A
 * second socket says so to workers that connect later. If the speaker is killed before that, each other worker prints
 * the line.
 */
#include "runtime/job/alike.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/bootstrap.h"

enum {
    ERRORS = 8,        /* number of errors that a worker prints for other workers; it prints later errors only for
                        * itself */
    OTHERS = 1024,     /* maximum number of other workers that a speaker counts */
    QUIET_MS = 300,    /* the speaker waits at most this long for the next worker */
    SPEAK_MS = 2000,   /* the speaker waits at most this long in total, because anybody may connect; the others wait as
                        * long for a speaker that does not listen yet */
    PATIENCE_MS = 5000 /* the other workers wait at most this long for the speaker */
};

static struct {
    uint64_t job; /* hash of job and host */
    int workers, printed;
    uint64_t error[ERRORS]; /* errors that this worker has printed */
} alike;

/* FNV-1a */
static uint64_t hash(uint64_t h, const char *text)
{
    while (*text)
        h = (h ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
    return h * UINT64_C(0x100000001b3); /* ends the text */
}

/* An address, and its size. */
struct name {
    struct sockaddr_un address;
    socklen_t size;
};

/* The name of the speaker's socket, or of a second socket whose existence says that the speaker has printed. */
static struct name name_of(const char *what, uint64_t error)
{
    struct name name = {.address = {.sun_family = AF_UNIX}}; /* an abstract name begins with 0 */
    int n = snprintf(name.address.sun_path + 1, sizeof(name.address.sun_path) - 1, "uat-%s-%u-%016" PRIx64, what,
                     (unsigned)geteuid(), error);
    name.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    return name;
}

/* Listen on a socket with this name. Returns the socket, or -1 if the name is taken or another error occurs. */
static int listen_as(const struct name *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&name->address, name->size) || listen(fd, alike.workers))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Does the process at the other end belong to this user? Any user may take a name. */
static bool is_own(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == geteuid();
}

/* A connection to the process of this user that listens under this name. Returns -1 if there is none, and sets
 * *refused if nobody listens. */
static int reach(const struct name *name, bool *refused)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *refused = false;
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&name->address, name->size))
        *refused = errno == ECONNREFUSED;
    else if (is_own(fd))
        return fd;
    close(fd);
    return -1;
}

static int now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_sec % 1000000 * 1000 + t.tv_nsec / 1000000);
}

/* A connection to the process of this user that has taken this name. Between its bind() and its listen() the kernel
 * refuses connections, so this tries again. Returns -1 if the process belongs to another user, or if nobody listens for
 * SPEAK_MS. */
static int reach_taker(const struct name *name)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    bool refused;
    int begin = now_ms(), fd = reach(name, &refused);
    while (fd < 0 && refused && now_ms() - begin < SPEAK_MS) {
        nanosleep(&pause, NULL);
        fd = reach(name, &refused);
    }
    return fd;
}

/* Accept other workers until no worker has connected for `ms` milliseconds. Stores their connections in fds, and
 * returns their number. Each of them waits until it gets a byte. */
static int accept_others(int fd, int *fds, int most, int ms)
{
    int n = 0, begin = now_ms();
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    while (n < most && now_ms() - begin < SPEAK_MS && poll(&wait, 1, ms) == 1) {
        int other = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (other < 0)
            break;
        if (is_own(other))
            fds[n++] = other;
        else
            close(other);
    }
    return n;
}

/* Tell these workers that the line is printed. */
static void release(const int *fds, int n)
{
    for (int i = 0; i < n; i++) {
        ssize_t ignored = send(fds[i], "", 1, MSG_NOSIGNAL);
        (void)ignored;
        close(fds[i]);
    }
}

/* Print the line on behalf of all workers that report it. The sockets stay open until this process ends, for workers
 * that connect later. */
static void speak(int fd, uint64_t error, const char *line)
{
    static int fds[OTHERS]; /* no calloc(): a signal handler may report an error */
    const struct name printed = name_of("alike-printed", error);
    int most = alike.workers - 1 < OTHERS ? alike.workers - 1 : OTHERS, n = accept_others(fd, fds, most, QUIET_MS);
    char text[1200];
    if (n > 0)
        snprintf(text, sizeof(text), "%s (and %d other worker%s of this host)", line, n, n > 1 ? "s" : "");
    uat_log_line(n > 0 ? text : line);
    listen_as(&printed);
    release(fds, n);
    release(fds, accept_others(fd, fds, OTHERS, 0)); /* workers that did not find `printed` */
}

static bool has_printed(uint64_t error)
{
    const struct name printed = name_of("alike-printed", error);
    bool refused;
    int fd = reach(&printed, &refused);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Wait until the speaker has printed. Returns false if no speaker of this user listens, or if the speaker was killed
 * before it printed. */
static bool leave_it(const struct name *name, uint64_t error)
{
    char byte;
    int fd = reach_taker(name);
    if (fd < 0)
        return false;
    bool left = has_printed(error);
    if (!left && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS) == 1)
        left = recv(fd, &byte, 1, 0) == 1;
    close(fd);
    return left;
}

static bool knows(uint64_t error)
{
    for (int i = 0; i < alike.printed; i++)
        if (alike.error[i] == error)
            return true;
    return alike.printed == ERRORS;
}

static void print(const char *format, const char *line, const char *text)
{
    uint64_t error = hash(alike.job, strcmp(format, "%s") == 0 ? text : format);
    const struct name name = name_of("alike", error);
    /* A line that starts with a blank is a row of a table, and belongs to the line above it. */
    bool alone = *text == ' ' || knows(error);
    int fd = alone ? -1 : listen_as(&name);
    if (fd >= 0) {
        alike.error[alike.printed++] = error;
        speak(fd, error, line);
    } else if (alone || !leave_it(&name, error)) {
        uat_log_line(line);
    }
}

void uat_alike_open(const char *host, int workers)
{
    const char *job = uat_launched_job();
    if (workers < 2 || !job)
        return;
    alike.workers = workers;
    alike.job = hash(hash(UINT64_C(0xcbf29ce484222325), job), host);
    uat_log_errors_to(print);
}

bool uat_alike_speaks(const char *matter, uint64_t number)
{
    if (!alike.workers)
        return true;
    const struct name name = name_of(matter, alike.job + number);
    /* The socket stays open until this process ends, so that the name is taken. */
    if (listen_as(&name) >= 0)
        return true;
    int fd = reach_taker(&name);
    if (fd >= 0)
        close(fd);
    return fd < 0; /* another user has taken the name */
}

void uat_alike_close(void)
{
    uat_log_errors_to(NULL);
}
