/* SPDX-License-Identifier: MIT */
/*
 * Description: computes Fibonacci numbers. The fault campaign's signals end or stop workers, at once or in the middle
 * of a steal.
 * usage: [uatrun -n WORKERS] test-doomed N [-s RANK] [--json]
 *
 *   -s RANK       this rank stops in its first steal, as after SIGRTMIN + 1
 *   SIGRTMIN      exit(0) at the next spawn; at a second signal: _exit(0) at once
 *   SIGRTMIN + 1  stop at the next moment at which the worker holds a claim or the lock of a victim,
 *                 or has asked a victim
 *   SIGRTMIN + 2  die at the next such moment
 *   SIGRTMIN + 3  cancel SIGRTMIN + 1, if the worker has not yet stopped
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "inspect/inspect.h"
#include "perf/bench.h"

static int64_t n, stopping = -1;
static volatile sig_atomic_t told_to_exit, told_to_stop, told_to_die;

static void take_signal(int number)
{
    if (number == SIGRTMIN && told_to_exit)
        _exit(0);
    if (number == SIGRTMIN)
        told_to_exit = 1;
    else if (number == SIGRTMIN + 1)
        told_to_stop = 1;
    else if (number == SIGRTMIN + 2)
        told_to_die = 1;
    else
        told_to_stop = 0;
}

/* Called at the end of each phase of a steal. Die or stop here if a signal has requested it. The phase LOCK ends before
 * the unlock, the phase CLAIM before the acknowledgement, and the phase ASK before the answer. */
static void steal_phase(enum uat_phase phase, uint64_t begin, uint64_t end)
{
    (void)begin;
    (void)end;
    if (phase != UAT_PHASE_LOCK && phase != UAT_PHASE_CLAIM && phase != UAT_PHASE_ASK)
        return;
    if (told_to_die)
        raise(SIGKILL);
    if (told_to_stop) {
        told_to_stop = 0;
        raise(SIGSTOP);
    }
}

/* Runs before main(), because a signal may arrive at any time. */
static __attribute__((constructor)) void take_signals(void)
{
    struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART | SA_ONSTACK};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 4; i++)
        sigaction(SIGRTMIN + i, &action, NULL);
    uat_phase_hook = steal_phase;
}

UAT_TASK(uint64_t, fib, int64_t, i)
{
    fib_task before;

    if (told_to_exit)
        exit(0);
    if (i < 2)
        return (uint64_t)i;
    fib_spawn(&before, i - 1);
    uint64_t second = fib(i - 2);
    return fib_join(&before) + second;
}

static int run(uint64_t *answer)
{
    if (uat_rank() == stopping)
        told_to_stop = 1;
    return fib_run(answer, n);
}

static bool known(uint64_t *answer)
{
    uint64_t next = 1;

    *answer = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = *answer + next;

        *answer = next;
        next = sum;
    }
    return true;
}

static int sequential(uint64_t *answer)
{
    known(answer);
    return 0;
}

static const struct uat_bench_option options[] = {
    {NULL, "N", "which Fibonacci number", &n, NULL, 0, 90},
    {"-s", "RANK", "this rank stops in its first steal; -1: none", &stopping, NULL, -1, 1023},
    {0},
};

static const struct uat_bench bench = {
    .program = "test-doomed",
    .purpose = "Compute the N-th Fibonacci number in workers that end or stop at a signal.",
    .options = options,
    .results = {"result"},
    .known = known,
    .run = run,
    .sequential = sequential,
};

int main(int argc, char **argv)
{
    return uat_bench_main(&bench, argc, argv);
}
