/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks call fork(). Parent and child continue with separate stacks, while other tasks are stolen. A child
 * that continues as a worker ends with an error message. exec, vfork(), posix_spawn(), system() and popen() work.
 * usage: forks DEPTH, or forks refuse spawn|return|join, or forks variables. The last form shows the LD_LIBRARY_PATH
 * that a child finds.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uat.h"
#include "uat/pattern.h"

enum { CHILD_STATUS = 42, WORDS = 64, DEEP = 200 };

extern char **environ;

/* Overwrite the stack from here downwards, repeatedly. Two processes that shared one stack would see each other's
 * words. */
static __attribute__((noinline)) unsigned scribble(unsigned depth, unsigned mark)
{
    volatile unsigned words[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = mark + i;
    unsigned below = depth > 0 ? scribble(depth - 1, mark) : 0, wrong = 0;
    for (unsigned i = 0; i < WORDS; i++)
        wrong += words[i] != mark + i;
    return wrong + below;
}

static int status_of(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Both processes change the contents of this frame. Returns the number of errors. */
static __attribute__((noinline)) int fork_and_work(void)
{
    volatile unsigned mine = 1;
    int ready[2], errors = 0;
    char byte;
    if (pipe(ready))
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        mine = 2;
        errors = write(ready[1], "", 1) != 1;
        for (int i = 0; i < 20; i++)
            errors += (int)scribble(DEEP, 0x10000u);
        _exit(mine == 2 && !errors ? CHILD_STATUS : 1);
    }
    if (pid < 0 || read(ready[0], &byte, 1) != 1)
        return 1;
    mine = 3;
    for (int i = 0; i < 20; i++)
        errors += (int)scribble(DEEP, 0x20000u);
    errors += status_of(pid) != CHILD_STATUS;
    errors += mine != 3;
    close(ready[0]);
    close(ready[1]);
    return errors;
}

static int start_others(void)
{
    char *const arguments[] = {"sh", "-c", "exit 7", NULL};
    char text[8] = "";
    int errors = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/sh", arguments);
        _exit(1);
    }
    errors += status_of(pid) != 7;
    pid = vfork();
    if (pid == 0) {
        execv("/bin/sh", arguments);
        _exit(1);
    }
    errors += status_of(pid) != 7;
    errors += posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) || status_of(pid) != 7;
    errors += WEXITSTATUS(system("exit 5")) != 5;
    FILE *pipe = popen("echo here", "r");
    errors += !pipe || !fgets(text, sizeof(text), pipe) || strcmp(text, "here\n") != 0;
    errors += !pipe || pclose(pipe) != 0;
    return errors;
}

/* No continuation can be stolen in this function. If there are other workers, uat_work_wanted() returns 1. In a forked
 * child it returns 0, because the child cannot offer work. */
static int fork_and_ask(void)
{
    int errors = uat_work_wanted() != (uat_size() > 1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(uat_work_wanted() == 0 ? CHILD_STATUS : 1);
    return errors + (status_of(pid) != CHILD_STATUS);
}

/* Returns the number of errors in the subtree. Leaves fork while the continuations of tasks above them can be stolen.
 * Inner tasks also fork between two spawns and between two joins. */
UAT_TASK(int, tree, int, depth)
{
    tree_task left, right;
    unsigned frame[WORDS];
    int errors = 0;
    for (unsigned i = 0; i < WORDS; i++)
        frame[i] = i + (unsigned)depth;
    if (depth == 0)
        return fork_and_work() + start_others();
    tree_spawn(&left, depth - 1);
    errors += fork_and_work();
    tree_spawn(&right, depth - 1);
    errors += tree_join(&left);
    errors += fork_and_work();
    errors += tree_join(&right);
    for (unsigned i = 0; i < WORDS; i++)
        errors += frame[i] != i + (unsigned)depth;
    return errors;
}

UAT_TASK(int, root, int, depth)
{
    int errors = fork_and_ask();
    return errors + tree(depth);
}

UAT_TASK(int, slow)
{
    usleep(100000);
    return 1;
}

/* A child that does what only a worker may do. It must end with status 1. */
UAT_TASK(int, refused, char, what)
{
    slow_task t;
    pid_t pid = -1;
    if (what == 'j') /* under UAT_TORTURE=steal this task migrates, so its child is on another worker */
        slow_spawn(&t);
    pid = fork();
    if (pid == 0) {
        if (what == 'r')
            return 0;
        if (what == 's')
            slow_spawn(&t);
        slow_join(&t);
        _exit(0);
    }
    int status = status_of(pid);
    if (what == 'j')
        slow_join(&t);
    return status == 1 ? 0 : 1;
}

int main(int argc, char **argv)
{
    int errors = -1;
    if (uat_init())
        return 1;
    if (argc == 2 && strcmp(argv[1], "variables") == 0)
        return system("env | grep -E '^(LD|UATRUN)_LIBRARY_PATH='") != 0 || uat_finalize();
    int rc = argc > 2 ? refused_run(&errors, argv[2][0]) : root_run(&errors, argc > 1 ? atoi(argv[1]) : 3);
    if (rc || uat_finalize())
        return 1;
    if (errors)
        fprintf(stderr, "forks: %d errors\n", errors);
    return errors != 0;
}
