/* SPDX-License-Identifier: MIT */
/* Description: a process without a launcher that starts with closed standard streams, in each combination. After
 * uat_init() each closed stream is open on /dev/null, an open stream is still the same file, and output does not
 * change the segment. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uat.h>

enum { STREAMS = 3, LINES = 100000 };

UAT_TASK(long, root, long, lines)
{
    char kept[] = "this text is on the task's stack";
    for (long i = 0; i < lines; i++)
        printf("a line of output that is long enough to reach the stacks, %ld\n", i);
    fflush(stdout);
    return strcmp(kept, "this text is on the task's stack") == 0 ? lines : -1;
}

/* Is the stream open on /dev/null? */
static bool is_null(int fd)
{
    struct stat null, stream;
    return stat("/dev/null", &null) == 0 && fstat(fd, &stream) == 0 && S_ISCHR(stream.st_mode) &&
           stream.st_rdev == null.st_rdev;
}

/* The process whose streams in the set `closed` are closed; the others are on the file of which `open` is a second
 * descriptor. Returns the number of the first wrong thing. */
static int check(unsigned closed, int open)
{
    struct stat expected, stream;
    long lines = 0;
    if (uat_init() < 0)
        return 1;
    for (int fd = 0; fd < STREAMS; fd++) {
        if (closed & 1U << fd ? !is_null(fd) : fstat(open, &expected) || fstat(fd, &stream))
            return 2;
        if (!(closed & 1U << fd) && (expected.st_ino != stream.st_ino || expected.st_dev != stream.st_dev))
            return 3;
    }
    if (root_run(&lines, LINES) < 0 || lines != LINES)
        return 4;
    return uat_finalize() < 0 ? 5 : 0;
}

/* Run this program again, with these streams closed and the others on a new file. Returns its status. */
static int start(const char *program, unsigned closed)
{
    FILE *file = tmpfile();
    char set[16], open[16];
    int status = -1;
    if (!file)
        return -1;
    snprintf(set, sizeof(set), "%u", closed);
    snprintf(open, sizeof(open), "%d", fcntl(fileno(file), F_DUPFD, 100));
    pid_t pid = fork();
    if (pid == 0) {
        for (int fd = 0; fd < STREAMS; fd++)
            if (closed & 1U << fd)
                close(fd);
            else
                dup2(atoi(open), fd);
        if (fileno(file) >= STREAMS)
            close(fileno(file));
        execl(program, program, set, open, NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    close(atoi(open));
    fclose(file);
    return status;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc > 2)
        return check((unsigned)atoi(argv[1]), atoi(argv[2]));
    for (unsigned closed = 0; closed < 1U << STREAMS; closed++) {
        int status = start(argv[0], closed);
        failed += status != 0;
        if (status)
            printf("streams closed: %s%s%s, status 0x%x\n", closed & 1 ? " 0" : "", closed & 2 ? " 1" : "",
                   closed & 4 ? " 2" : "", (unsigned)status);
    }
    return failed != 0;
}
