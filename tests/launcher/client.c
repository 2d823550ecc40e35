/* SPDX-License-Identifier: MIT */
/* Description: a worker on bare PMIx that behaves or ends as argv[1] says. In the modes of failures, only rank 1
 * fails. */
#include <fcntl.h>
#include <pmix.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FENCE_FAILED = 91, TEST_FAILED = 92 };

static pmix_proc_t me;

static void fence(void)
{
    pmix_proc_t all;
    pmix_info_t info;
    bool yes = true;
    PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    if (PMIx_Fence(&all, 1, &info, 1) != PMIX_SUCCESS)
        _exit(FENCE_FAILED);
}

/* Publish a value, and read the values of all workers. */
static void exchange(uint32_t size)
{
    pmix_value_t value, *got;
    char text[64];
    snprintf(text, sizeof(text), "of %u", me.rank);
    PMIX_VALUE_LOAD(&value, text, PMIX_STRING);
    if (PMIx_Put(PMIX_GLOBAL, "test.value", &value) != PMIX_SUCCESS || PMIx_Commit() != PMIX_SUCCESS)
        _exit(TEST_FAILED);
    fence();
    for (uint32_t rank = 0; rank < size; rank++) {
        pmix_proc_t peer = me;
        peer.rank = rank;
        snprintf(text, sizeof(text), "of %u", rank);
        if (PMIx_Get(&peer, "test.value", NULL, 0, &got) != PMIX_SUCCESS || strcmp(got->data.string, text) != 0)
            _exit(TEST_FAILED);
        PMIX_VALUE_RELEASE(got);
    }
}

static uint32_t job_size(void)
{
    pmix_proc_t all;
    pmix_value_t *value;
    PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value) != PMIX_SUCCESS)
        _exit(TEST_FAILED);
    uint32_t size = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return size;
}

/* Print one line. The line is not mixed with other workers' lines, because stdout is in append mode. */
static void say(const char *format, unsigned long value)
{
    char line[256];
    int n = snprintf(line, sizeof(line), "rank %u ", me.rank);
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

/* Told of the loss of rank 1: kill the job's process, as a crash of libpmix's thread there would. */
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
    if (strcmp(mode, "pmix-abort") == 0)
        PMIx_Abort(5, "no luck", NULL, 0);
    if (strcmp(mode, "stray") == 0) {
        fork_stray();
        _exit(7);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "ok", *rank = getenv("PMIX_RANK");
    bool wrong = rank && strcmp(rank, "1") == 0;
    if (strcmp(mode, "state") == 0) {
        PMIX_LOAD_PROCID(&me, "", rank ? (pmix_rank_t)atoi(rank) : 0);
        report_state(); /* before PMIx opens files */
    }
    if (strcmp(mode, "deaf") == 0)
        signal(SIGTERM, SIG_IGN);
    if (strcmp(mode, "crash") == 0 && !wrong)
        signal(SIGTERM, kill_job);
    if (strcmp(mode, "signal") == 0) { /* block the signals: otherwise they would end the thread that libpmix creates */
        sigset_t set = signals_to_wait_for();
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    if (wrong && strcmp(mode, "absent") == 0)
        return 0;
    if (wrong && strcmp(mode, "absent-3") == 0)
        return 3;
    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS)
        return TEST_FAILED;
    exchange(job_size());
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
    if (PMIx_Finalize(NULL, 0) != PMIX_SUCCESS)
        return TEST_FAILED;
    if (wrong && strcmp(mode, "late") == 0)
        return 9;
    if (me.rank == 0 && strcmp(mode, "checkpoint-status") == 0)
        return 75; /* UAT_CHECKPOINT_STATUS, although nobody has written a checkpoint */
    return 0;
}
