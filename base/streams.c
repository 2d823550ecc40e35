/* SPDX-License-Identifier: MIT */
#include "base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int uat_streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        int null = open("/dev/null", O_RDWR); /* the lowest free number: fd */
        if (null < 0)
            return -errno;
        if (null != fd) /* another thread has opened fd meanwhile */
            close(null);
    }
    return 0;
}

enum { FLUSH_SECONDS = 1 };

void uat_flush(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(FLUSH_SECONDS);
    fflush(NULL);
    alarm(0);
}
