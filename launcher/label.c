/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    PREFIX_MAX = 16,
    ROOM_START = 4096,
    LINE_LONGEST = 1 << 20, /* bytes; a longer line is split, with the rank in front of each part */
    EVENTS = 64
};

/* One of a worker's two streams. */
struct stream {
    int from, to;
    char prefix[PREFIX_MAX];
    size_t prefix_length;
    char *text; /* the prefix, then the received part of a line */
    size_t used, room;
};

static struct {
    int epoll;
    int width; /* digits of the longest rank */
    struct stream *streams;
    int count;
} label = {.epoll = -1};

int uat_label_open(int n)
{
    char longest[PREFIX_MAX];
    label.width = snprintf(longest, sizeof(longest), "%d", n - 1);
    label.streams = calloc((size_t)n * UAT_LABEL_FILES, sizeof(*label.streams));
    label.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (label.streams && label.epoll >= 0)
        return 0;
    int error = label.streams ? errno : ENOMEM;
    uat_say("cannot label the output: %s", strerror(error));
    return -error;
}

int uat_label_fd(void)
{
    return label.epoll;
}

/* Make a pipe for one stream. Returns the end to write to, or -1. */
static int add_stream(int rank, int to)
{
    int ends[2];
    struct stream *s = &label.streams[label.count];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    *s = (struct stream){.from = ends[0], .to = to, .room = ROOM_START, .text = malloc(ROOM_START)};
    s->prefix_length = (size_t)snprintf(s->prefix, sizeof(s->prefix), "%*d: ", label.width, rank);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
    if (!s->text || fcntl(s->from, F_SETFL, O_NONBLOCK) || epoll_ctl(label.epoll, EPOLL_CTL_ADD, s->from, &event)) {
        int error = errno;
        free(s->text);
        close(ends[0]);
        close(ends[1]);
        errno = error;
        return -1;
    }
    memcpy(s->text, s->prefix, s->prefix_length);
    s->used = s->prefix_length;
    label.count++;
    return ends[1];
}

int uat_label_add(int rank, int *out, int *err)
{
    *err = -1;
    *out = add_stream(rank, STDOUT_FILENO);
    if (*out >= 0)
        *err = add_stream(rank, STDERR_FILENO);
    if (*err >= 0)
        return 0;
    int error = errno;
    if (*out >= 0)
        close(*out);
    *out = -1;
    uat_say("cannot label the output of rank %d: %s (ulimit -n limits the number of pipes)", rank, strerror(error));
    return -error;
}

/* Write a line with one call, so that other writers to the same terminal or file cannot split the line. */
static void put(int to, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(to, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* no process reads the output any more */
        text += n;
        length -= (size_t)n;
    }
}

/* Write out the complete line. The buffer always has space for its newline. */
static void end_line(struct stream *s)
{
    s->text[s->used++] = '\n';
    put(s->to, s->text, s->used);
    s->used = s->prefix_length;
}

static void take(struct stream *s, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            end_line(s);
            continue;
        }
        if (s->used + 2 > s->room) {
            char *more = s->room < LINE_LONGEST ? realloc(s->text, 2 * s->room) : NULL;
            if (more) {
                s->text = more;
                s->room *= 2;
            } else {
                end_line(s);
            }
        }
        s->text[s->used++] = bytes[i];
    }
}

/* Read everything that has arrived. Returns false at the end of the stream. */
static bool drain(struct stream *s)
{
    char bytes[16384];
    ssize_t n;
    while ((n = read(s->from, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            take(s, bytes, (size_t)n);
    return n < 0;
}

void uat_label_pass(void)
{
    struct epoll_event events[EVENTS];
    if (label.epoll < 0)
        return;
    int n = epoll_wait(label.epoll, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        struct stream *s = events[i].data.ptr;
        if (!drain(s))
            epoll_ctl(label.epoll, EPOLL_CTL_DEL, s->from, NULL);
    }
}

void uat_label_close(void)
{
    for (int i = 0; i < label.count; i++) {
        struct stream *s = &label.streams[i];
        drain(s);
        if (s->used > s->prefix_length)
            end_line(s);
        close(s->from);
        free(s->text);
    }
    if (label.epoll >= 0)
        close(label.epoll);
    label.epoll = -1;
    label.count = 0;
    free(label.streams);
    label.streams = NULL;
}
