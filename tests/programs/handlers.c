/* SPDX-License-Identifier: MIT */
/* Description: signals that arrive while a generator runs, whose stack has no room for a handler. One handler is the
 * library's (SIGUSR2, with UAT_CHECKPOINT), one is the program's and lacks SA_ONSTACK. With `late` the program
 * installs its handler during the run: the error says so. With `clock` the clock of checkpoints does not cut a sleep
 * outside of runs, and asks in the next run. */
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <uat.h>
#include <uat/generator.h>

enum { SIGNALS = 100, LOCAL = 2560 };

static volatile sig_atomic_t taken;

static void take(int number)
{
    (void)number;
    taken++;
}

/* The local array leaves less room than the smallest frame of a signal. */
UAT_GENERATOR(int, interrupted, int, number)
{
    volatile char local[LOCAL];
    local[0] = (char)number;
    for (int i = 0; i < SIGNALS; i++) {
        raise(number);
        uat_generator_yield(local[0] == (char)number ? i : -1);
    }
}

UAT_TASK(int, interrupt, int, number, int, late)
{
    interrupted_generator g;
    int right = 0, value;
    if (late)
        signal(number, take);
    interrupted_begin(&g, number);
    while (uat_generator_next(&g, &value))
        right += value == right;
    return right;
}

/* SIGUSR2 on rank 0 would ask for a checkpoint that ends the job. */
UAT_TASK(int, root, int, number, int, late)
{
    interrupt_task t;
    interrupt_spawn_on(&t, uat_size() - 1, number, late);
    return interrupt_join(&t);
}

UAT_TASK(int, one, int, n)
{
    return n;
}

/* Runs until a checkpoint is complete. */
UAT_TASK(int, until_saved, int, unused)
{
    char pattern[4096];
    glob_t found = {0};
    one_task t;
    (void)unused;
    snprintf(pattern, sizeof(pattern), "%.4000s/*/manifest", getenv("CHECKPOINTS"));
    while (glob(pattern, 0, NULL, &found) != 0) {
        one_spawn(&t, 1);
        one_join(&t);
    }
    globfree(&found);
    return 1;
}

static int with_clock(void)
{
    const struct timespec longer = {1, 500000000};
    int n = 0;
    if (uat_init() < 0 || one_run(&n, 1) < 0)
        return 1;
    if (nanosleep(&longer, NULL)) {
        printf("the clock has cut a sleep\n");
        return 1;
    }
    return until_saved_run(&n, 0) < 0 || n != 1 || uat_finalize() < 0;
}

int main(int argc, char **argv)
{
    bool late = argc > 1 && strcmp(argv[1], "late") == 0;
    int right = 0;
    if (argc > 1 && strcmp(argv[1], "clock") == 0)
        return with_clock();
    if (!late)
        signal(SIGALRM, take);
    if (uat_init() < 0 || root_run(&right, SIGALRM, late) < 0 || right != SIGNALS)
        return 1;
    if (uat_rank() == uat_size() - 1 && taken != SIGNALS)
        return 1;
    return root_run(&right, SIGUSR2, false) < 0 || right != SIGNALS || uat_finalize() < 0;
}
