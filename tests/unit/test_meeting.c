/* SPDX-License-Identifier: MIT */
/*
 * Description: workers meet in uatrun's memory: exchanges of any size, also one after the other, barriers with a late
 * worker, the seats, the first abort; what a worker does if its descriptor was closed, if the memory is another, and if
 * uatrun ends. Here the test is uatrun, and its forks are the workers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/arguments.h"
#include "launcher/launcher.h"
#include "launcher/server.h"
#include "runtime/job/bootstrap.h"
#include "tests/test.h"

enum { WORKERS = 7, ROUNDS = 200, LONGEST = 9000, SECONDS = 40 };

bool uat_arguments_set(char **env, char *assignment)
{
    (void)env;
    return putenv(assignment) == 0;
}

void uat_say(const char *format, ...)
{
    fail_msg("%s", format);
}

static int says[2] = {-1, -1}; /* a pipe */
static bool tell;              /* whether the next wait writes a byte into it */

static void waiting(void)
{
    if (tell && write(says[1], "", 1) == 1)
        tell = false;
}

static void waited(void)
{
}

static const struct uat_bootstrap_user user = {.waiting = waiting, .waited = waited};
static struct uat_job job;

/* Run `work` in a process that is this rank. Returns its number. */
static pid_t start(int rank, int (*work)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    alarm(SECONDS);
    uat_server_environment(rank, NULL);
    _exit(work());
}

static int status_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Run all ranks, each of which must return `expected`. */
static void run(int n, int (*work)(void), int expected)
{
    pid_t pid[WORKERS];
    assert_int_equal(uat_server_start(n), 0);
    for (int rank = 0; rank < n; rank++)
        pid[rank] = start(rank, work);
    for (int rank = 0; rank < n; rank++)
        assert_int_equal(status_of(pid[rank]), expected);
}

/* What a rank publishes in a round. Returns its size. */
static size_t publish(unsigned char *blob, int rank, int round)
{
    size_t size = (size_t)(rank * 1301 + round * 577) % LONGEST;
    for (size_t i = 0; i < size; i++)
        blob[i] = (unsigned char)(rank * 31 + round * 7 + (int)i);
    return size;
}

static int exchange(int round)
{
    unsigned char blob[LONGEST];
    bool wanted[WORKERS];
    void **blobs;
    size_t *sizes, size = publish(blob, job.rank, round);
    int faults = 0;
    for (int rank = 0; rank < job.size; rank++)
        wanted[rank] = round % 3 != 1 || (rank + job.rank) % 2;
    if (uat_bootstrap_exchange(blob, size, round % 3 == 1 ? wanted : NULL, &blobs, &sizes))
        return 1;
    for (int rank = 0; rank < job.size; rank++) {
        size = publish(blob, rank, round);
        if (wanted[rank])
            faults += sizes[rank] != size || memcmp(blobs[rank], blob, size) != 0;
        else
            faults += sizes[rank] != 0 || blobs[rank] != NULL;
    }
    uat_bootstrap_free(blobs, sizes);
    return faults;
}

static int many_exchanges(void)
{
    int faults = uat_bootstrap_open(&job, &user) != 0;
    srand((unsigned)job.rank);
    for (int round = 0; round < ROUNDS; round++) {
        faults += exchange(round);
        if (round % 5 == 0)
            faults += uat_bootstrap_barrier() != 0;
        if (rand() % 8 == 0) /* the others may be ahead by one exchange */
            nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    return faults + (uat_bootstrap_close() != 0);
}

TEST(exchanges)
{
    run(WORKERS, many_exchanges, 0);
    run(1, many_exchanges, 0);
}

/* Rank 1 enters the barrier when rank 0 has looked at the clock in it. */
static int late(void)
{
    char byte;
    int faults = uat_bootstrap_open(&job, &user) != 0;
    tell = job.rank == 0;
    if (job.rank == 1)
        faults += read(says[0], &byte, 1) != 1;
    faults += uat_bootstrap_barrier() != 0;
    return faults + tell + (uat_bootstrap_close() != 0);
}

static void run_late(int n, int (*work)(void))
{
    assert_int_equal(pipe(says), 0);
    run(n, work, 0);
    close(says[0]);
    close(says[1]);
}

/* A worker that waits looks at the clock, and at uatrun. */
TEST(late_worker)
{
    run_late(3, late);
}

static void interrupt(int number)
{
    (void)number;
}

/* A signal interrupts each wait before its time is over. */
static int late_with_signals(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec often = {.it_interval.tv_nsec = 50000000, .it_value.tv_nsec = 50000000};
    timer_t timer;
    signal(SIGUSR1, interrupt);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
        return 1;
    return late();
}

TEST(late_worker_with_signals)
{
    run_late(3, late_with_signals);
}

static int stay(void)
{
    if (uat_bootstrap_open(&job, &user))
        return 1;
    pause();
    return 0;
}

static int refused(void)
{
    return uat_bootstrap_open(&job, &user) == -EBUSY ? 0 : 1;
}

/* The programs that a worker starts do not get its descriptor. */
static int come_and_go(void)
{
    fcntl(uat_server_inherited(), F_SETFD, 0); /* as uatrun passes it on */
    int rc = uat_bootstrap_open(&job, &user);
    return rc || fcntl(uat_server_inherited(), F_GETFD) != FD_CLOEXEC || uat_bootstrap_close();
}

TEST(seats)
{
    assert_int_equal(uat_server_start(2), 0);
    assert_int_equal(uat_server_presence(1), UAT_PRESENCE_NONE);
    pid_t first = start(1, stay);
    while (uat_server_presence(1) == UAT_PRESENCE_NONE)
        usleep(1000);
    assert_int_equal(uat_server_presence(1), UAT_PRESENCE_CONNECTED);
    assert_int_equal(status_of(start(1, refused)), 0);
    kill(first, SIGKILL);
    assert_int_equal(status_of(first), 128 + SIGKILL);
    assert_int_equal(uat_server_presence(1), UAT_PRESENCE_CONNECTED);
    assert_int_equal(uat_server_presence(0), UAT_PRESENCE_NONE);
    for (int i = 0; i < 2; i++) { /* one program after the other */
        assert_int_equal(status_of(start(0, come_and_go)), 0);
        assert_int_equal(uat_server_presence(0), UAT_PRESENCE_FINALIZED);
    }
}

static int abort_job(void)
{
    if (uat_bootstrap_open(&job, &user))
        return 1;
    uat_bootstrap_abort(job.rank - 7);
    return 0;
}

TEST(first_abort)
{
    struct uat_abort aborted;
    assert_int_equal(uat_server_start(3), 0);
    assert_false(uat_server_aborted(&aborted));
    for (int rank = 2; rank >= 0; rank--)
        assert_int_equal(status_of(start(rank, abort_job)), 0);
    assert_true(uat_server_aborted(&aborted));
    assert_int_equal(aborted.rank, 2);
    assert_int_equal(aborted.status, -5);
}

static int without_descriptor(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (dup2(null, uat_server_inherited()) < 0)
        return 1;
    return late();
}

TEST(closed_descriptor)
{
    run_late(2, without_descriptor);
}

static int other_name(void)
{
    char *variable = getenv(UAT_MEETING_VARIABLE);
    variable[strlen(variable) - 1] ^= 1;
    return uat_bootstrap_open(&job, &user) == -EBADF ? 0 : 1;
}

static int other_rank(void)
{
    setenv(UAT_MEETING_RANK, "2", 1);
    return uat_bootstrap_open(&job, &user) == -EPROTO ? 0 : 1;
}

TEST(wrong_variables)
{
    run(2, other_name, 0);
    run(2, other_rank, 0);
}

/* The memory, which this process has inherited. */
static struct uat_meeting *memory(void)
{
    struct uat_meeting *at = mmap(NULL, sizeof(*at) + 2 * sizeof(at->seat[0]), PROT_READ | PROT_WRITE, MAP_SHARED,
                                  uat_server_inherited(), 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Rank 1 publishes a place and a size that no worker publishes. */
static int wrong_blob(uint64_t at, uint64_t size)
{
    void **blobs;
    size_t *sizes;
    struct uat_meeting *m = memory();
    int faults = !m || uat_bootstrap_open(&job, &user) != 0;
    if (faults)
        return faults;
    if (job.rank == 0)
        return uat_bootstrap_exchange("", 1, NULL, &blobs, &sizes) != -EPROTO;
    m->seat[1].blob[0].at = at;
    m->seat[1].blob[0].size = size;
    return uat_bootstrap_barrier() != 0;
}

static int much_too_long(void)
{
    return wrong_blob(0, UINT64_MAX);
}

static int too_long(void)
{
    return wrong_blob(1, UINT64_C(1) << 62);
}

static int too_far(void)
{
    return wrong_blob(UINT64_C(1) << 62, 1);
}

TEST(wrong_blobs)
{
    run(2, much_too_long, 0);
    run(2, too_long, 0);
    run(2, too_far, 0);
}

static int wait_in_vain(void)
{
    int rc = uat_bootstrap_open(&job, &user);
    if (!rc)
        rc = uat_bootstrap_barrier();
    return write(says[1], &rc, sizeof(rc)) == sizeof(rc) ? 0 : 1;
}

/* The barrier ends with an error when uatrun has ended, although this worker has no parent any more. */
TEST(end_of_uatrun)
{
    int rc = 0;
    assert_int_equal(pipe(says), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (uat_server_start(2) == 0)
            start(0, wait_in_vain);
        usleep(500000);
        _exit(0);
    }
    close(says[1]);
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(read(says[0], &rc, sizeof(rc)), sizeof(rc));
    assert_int_equal(rc, -EIO);
    close(says[0]);
}

int main(void)
{
    return tests_run();
}
