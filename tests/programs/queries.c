/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_is_running() and uat_in_task(), before, in and after a job; in tasks, loops, generators and waits;
 * in another thread, a signal handler, and a forked child.
 * usage: queries
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uat.h"
#include "uat/generator.h"
#include "uat/pattern.h"
#include "uat/sync.h"

/* 0 if the answers are these. */
static int differ(const char *where, int running, int in_task)
{
    if (uat_is_running() == running && uat_in_task() == in_task)
        return 0;
    fprintf(stderr, "queries: %s: running %d, in a task %d\n", where, uat_is_running(), uat_in_task());
    return 1;
}

static void *other_thread(void *wrong)
{
    *(int *)wrong = differ("another thread", 1, 0);
    return NULL;
}

static int in_thread(void)
{
    pthread_t thread;
    static int wrong; /* not in the task's frame, so that the thread does not depend on it */
    if (pthread_create(&thread, NULL, other_thread, &wrong) || pthread_join(thread, NULL))
        return 1;
    return wrong;
}

static volatile sig_atomic_t in_handler = -1;
static void handler(int number)
{
    (void)number;
    in_handler = uat_in_task();
}

UAT_GENERATOR(long, answers, int, dummy)
{
    (void)dummy;
    uat_generator_yield(differ("a generator", 1, 1));
}

UAT_REDUCE(long, all, 0, UAT_PLUS, i)
{
    return i < 0 || differ("a reduction", 1, 1);
}

UAT_TASK(long, tree, int, depth)
{
    tree_task left;
    long wrong = differ("a task", 1, 1);
    if (depth == 0) {
        uat_yield();
        return wrong + differ("after a wait", 1, 1);
    }
    tree_spawn(&left, depth - 1);
    wrong += differ("a continuation", 1, 1);
    wrong += tree(depth - 1);
    wrong += tree_join(&left);
    return wrong + differ("after a join", 1, 1);
}

UAT_TASK(long, root, int, depth)
{
    answers_generator g;
    long wrong = tree(depth) + all(0, 1000), value = 1;
    answers_begin(&g, 0);
    while (uat_generator_next(&g, &value))
        wrong += value;
    signal(SIGUSR1, handler); /* without SA_ONSTACK, it would run on the task's stack */
    struct sigaction action;
    sigaction(SIGUSR1, NULL, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return wrong + in_thread() + (in_handler != 0);
}

int main(void)
{
    int wrong = differ("before uat_init()", 0, 0);
    long in_run;
    if (uat_init())
        return 1;
    wrong += differ("after uat_init()", 1, 0);
    if (root_run(&in_run, 4))
        return 1;
    wrong += differ("after a run", 1, 0) + (in_run != 0);
    pid_t child = fork();
    if (child == 0)
        _exit(differ("a forked child", 0, 0));
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    wrong += status != 0;
    wrong += uat_finalize() != 0;
    return wrong + differ("after uat_finalize()", 0, 0) > 0;
}
