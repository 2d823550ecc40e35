/* SPDX-License-Identifier: MIT */
/* Description: a worker on the bare bootstrap that behaves or ends as argv[1] says. In the modes of failures, only rank
 * 1 fails. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/meeting.h"
#include "runtime/job/bootstrap.h"

enum { FENCE_FAILED = 91, TEST_FAILED = 92 };

static struct uat_job job;

static void nothing(void)
{
}

static void fence(void)
{
    if (uat_bootstrap_barrier())
        _exit(FENCE_FAILED);
}

/* Publish values, and read the values of all workers. */
static void exchange(void)
{
    char text[64];
    for (int round = 0; round < 3; round++) {
        void **blobs;
        size_t *sizes, size = (size_t)snprintf(text, sizeof(text), "round %d of %d", round, job.rank);
        if (uat_bootstrap_exchange(text, size, NULL, &blobs, &sizes))
            _exit(TEST_FAILED);
        for (int rank = 0; rank < job.size; rank++) {
            size = (size_t)snprintf(text, sizeof(text), "round %d of %d", round, rank);
            if (sizes[rank] != size || memcmp(blobs[rank], text, size) != 0)
                _exit(TEST_FAILED);
        }
        uat_bootstrap_free(blobs, sizes);
    }
}

/* Print one line. The line is not mixed with other workers' lines, because stdout is in append mode. */
static void say(const char *format, unsigned long value)
{
    char line[256];
    int n = snprintf(line, sizeof(line), "rank %d ", job.rank);
    n += snprintf(line + n, sizeof(line) - (size_t)n, format, value);
    line[n++] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(TEST_FAILED);
}

/* Fork a process that is not in the worker's process group and ignores SIGTERM. */
static void fork_stray(void)
{
    if (fork() != 0)
        return;
    setsid();
    signal(SIGTERM, SIG_IGN);
    if (fork() != 0)
        _exit(0);
    for (;;)
        pause();
}

static void hang(void)
{
    say("is ready", 0);
    for (;;)
        pause();
}

/* All signals except the signals that stop or continue a process. */
static sigset_t signals_to_wait_for(void)
{
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGTSTP);
    sigdelset(&set, SIGCONT);
    return set;
}

static void wait_for_signal(void)
{
    sigset_t set = signals_to_wait_for();
    int signal;
    say("is ready", 0);
    sigwait(&set, &signal);
    say("got signal %lu", (unsigned long)signal);
}

static void copy_input(void)
{
    char buffer[256];
    size_t total = 0;
    ssize_t n;
    while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
        total += (size_t)n;
    say("read %lu bytes", total);
}

static uint64_t computed_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Finalizing needs 20 ms of processor time. */
static void leave_in_order(int number)
{
    (void)number;
    for (uint64_t begin = computed_ns(); computed_ns() - begin < 20000000;)
        ;
    say("left in order", 0);
    _exit(0);
}

/* Compute with the lowest priority, on the first processor that this process may use. */
static void starve(void)
{
    cpu_set_t set;
    struct sched_param none = {0};
    if (sched_getaffinity(0, sizeof(set), &set) < 0 || sched_setscheduler(0, SCHED_IDLE, &none) < 0)
        _exit(TEST_FAILED);
    int first = 0;
    while (!CPU_ISSET(first, &set))
        first++;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        _exit(TEST_FAILED);
    signal(SIGTERM, leave_in_order);
    say("computes on %lu", (unsigned long)first);
    for (;;)
        ;
}

/* Told of the loss of rank 1: kill the job's process. */
static void kill_job(int number)
{
    (void)number;
    kill(getppid(), SIGKILL);
}

/* Report which parts of the launcher's own state have leaked into this process. */
static void report_state(void)
{
    sigset_t mask;
    struct sigaction pipe, child;
    unsigned long blocked = 0, open_files = 0;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int s = 1; s < NSIG; s++)
        blocked += sigismember(&mask, s) == 1;
    sigaction(SIGPIPE, NULL, &pipe);
    sigaction(SIGCHLD, NULL, &child);
    for (int fd = 3; fd < 64; fd++)
        open_files += fcntl(fd, F_GETFD) >= 0;
    say("blocks %lu signals", blocked);
    say("has %lu other dispositions", (pipe.sa_handler != SIG_DFL) + (unsigned long)(child.sa_handler != SIG_DFL));
    say("has %lu more files", open_files);
    const char *value = getenv("TEST_VALUE");
    say(value && strcmp(value, "a=b c") == 0 ? "has the value" : "lacks the value", 0);
}

static void report_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) < 0)
        _exit(TEST_FAILED);
    int first = 0;
    while (!CPU_ISSET(first, &set))
        first++;
    say("may use %lu cores", (unsigned long)CPU_COUNT(&set));
    say("has core %lu", (unsigned long)first);
}

/* Rank 1 misbehaves once all are connected. */
static void go_wrong(const char *mode)
{
    if (strcmp(mode, "exit") == 0 || strcmp(mode, "crash") == 0)
        _exit(7);
    if (strcmp(mode, "early") == 0)
        exit(0);
    if (strcmp(mode, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(mode, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "abort") == 0)
        abort();
    if (strcmp(mode, "job-abort") == 0) {
        uat_bootstrap_abort(5);
        pause(); /* uatrun need not wait for its end */
    }
    if (strcmp(mode, "stray") == 0) {
        fork_stray();
        _exit(7);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "ok", *rank = getenv(getenv("PMIX_RANK") ? "PMIX_RANK" : UAT_MEETING_RANK);
    bool wrong = rank && strcmp(rank, "1") == 0;
    if (strcmp(mode, "state") == 0) {
        job.rank = rank ? atoi(rank) : 0;
        report_state(); /* before the library opens files */
    }
    if (strcmp(mode, "deaf") == 0)
        signal(SIGTERM, SIG_IGN);
    if (strcmp(mode, "crash") == 0 && !wrong)
        signal(SIGTERM, kill_job);
    if (strcmp(mode, "signal") == 0) { /* block the signals: otherwise they would end libpmix's thread */
        sigset_t set = signals_to_wait_for();
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    if (wrong && strcmp(mode, "absent") == 0)
        return 0;
    if (wrong && strcmp(mode, "absent-3") == 0)
        return 3;
    static const struct uat_bootstrap_user user = {.waiting = nothing, .waited = nothing};
    if (uat_bootstrap_open(&job, &user))
        return TEST_FAILED;
    exchange();
    if (wrong)
        go_wrong(mode);
    if (strcmp(mode, "hang") == 0 || strcmp(mode, "deaf") == 0 || strcmp(mode, "crash") == 0)
        hang();
    if (strcmp(mode, "starve") == 0)
        starve();
    if (strcmp(mode, "signal") == 0)
        wait_for_signal();
    if (strcmp(mode, "input") == 0)
        copy_input();
    if (strcmp(mode, "cores") == 0)
        report_cores();
    if (strcmp(mode, "leave") == 0 && wrong)
        fork_stray();
    if (strcmp(mode, "stray-hang") == 0) {
        if (wrong)
            fork_stray();
        hang();
    }
    fence();
    if (uat_bootstrap_close())
        return TEST_FAILED;
    if (wrong && strcmp(mode, "late") == 0)
        return 9;
    if (job.rank == 0 && strcmp(mode, "checkpoint-status") == 0)
        return 75; /* UAT_CHECKPOINT_STATUS, although nobody has written a checkpoint */
    return 0;
}
