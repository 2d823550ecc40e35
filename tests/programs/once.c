/* SPDX-License-Identifier: MIT */
/*
 * Description: nothing of a program runs twice, and a timer that runs before uat_init() still runs after it, with its
 * handler. A constructor makes a file that must not exist, and main() changes its argument and sets a timer.
 * usage: once A,B FOLDER
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "uat.h"

__attribute__((constructor)) static void begin(int argc, char **argv)
{
    char path[4096];
    const char *rank = getenv("UATRUN_RANK");
    snprintf(path, sizeof(path), "%s/%s", argc == 3 ? argv[2] : "/", rank ? rank : "alone");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0) {
        fprintf(stderr, "once: %s, %d arguments: the program runs a second time\n", path, argc);
        _exit(3);
    }
    close(fd);
}

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    (void)number;
    ticks = 1;
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    signal(SIGPROF, tick);
    setitimer(ITIMER_PROF, &often, NULL);
    if (argc != 3 || strcmp(argv[1], "A,B") != 0 || strcmp(strtok(argv[1], ","), "A") != 0)
        return 4;
    if (uat_init())
        return 1;
    ticks = 0;
    while (!ticks)
        ;
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    printf("once\n");
    return uat_finalize() != 0;
}
