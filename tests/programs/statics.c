/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks that write to static variables, under UAT_TORTURE=statics=protected. Each case but `none` writes
 * to one variable in a task. `none` writes only where it is permitted: in main() between runs, and to variables of
 * libraries that the loader has put into the program. usage: statics CASE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/uat.h"

enum { DEPTH = 6, LEAVES = 1 << DEPTH, LARGE = 1 << 16, RUNS = 3, RUNS_BESIDE = 200 };

static long counter, other;
long started = 3; /* in .data */
static char large[LARGE];
static const char *what = "none";
static volatile int stop;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

static __attribute__((noinline)) void add(void)
{
    counter++;
}

static void *add_beside(void *unused)
{
    while (!stop)
        other++;
    return unused;
}

static void *add_other(void *unused)
{
    other++; /* no task */
    return unused;
}

static int write_one(void)
{
    volatile size_t some = 100; /* unknown to the compiler, which would write instead of calling memset() */
    pthread_t thread;
    if (is("bss"))
        add();
    else if (is("data"))
        started++;
    else if (is("libc"))
        large[LARGE / 2] = memset(large, 1, some) == large;
    else if (is("thread"))
        return pthread_create(&thread, NULL, add_other, NULL) == 0 && pthread_join(thread, NULL) == 0;
    else if (is("exit"))
        exit(0);
    else if (is("library"))
        opterr = opterr + 1; /* of libc */
    else if (is("after")) {
        opterr = opterr + 1; /* in the page of `started` */
        started++;
    }
    return 1;
}

/* Returns the number of leaves. */
UAT_TASK(int, work, int, depth)
{
    work_task left;
    if (depth == 0)
        return write_one();
    work_spawn(&left, depth - 1);
    int right = work(depth - 1);
    return work_join(&left) + right;
}

int main(int argc, char **argv)
{
    int leaves = 0;
    what = argc > 1 ? argv[1] : "none";
    if (uat_init())
        return 1;
    pthread_t beside;
    if (is("beside") && pthread_create(&beside, NULL, add_beside, NULL))
        return 1;
    for (int run = 0; run < (is("beside") ? RUNS_BESIDE : RUNS); run++) {
        counter = run; /* main() may write between runs */
        started = run;
        large[0] = (char)run;
        if (work_run(&leaves, DEPTH))
            return 1;
        if (leaves != LEAVES) {
            printf("statics: %d leaves\n", leaves);
            return 1;
        }
    }
    stop = 1;
    if (is("beside") && pthread_join(beside, NULL))
        return 1;
    if (is("bss") && uat_size() == 1 && counter != 2 + LEAVES) {
        printf("statics: counter is %ld\n", counter);
        return 1;
    }
    return uat_finalize() != 0;
}
