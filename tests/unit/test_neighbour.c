/* SPDX-License-Identifier: MIT */
/* Description: a worker whose launcher does not answer ends the other workers of its machine, and no other process,
 * also if the worker closes meanwhile. A record is refused if its process number stands for many processes, because a
 * signal to it would reach all of them. A neighbour that has been stopped is reported once per stop, after
 * UAT_STALL_TIMEOUT seconds without a break. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "base/log.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "tests/test.h"

enum { SELF, NEIGHBOUR, OTHER_MACHINE, OTHER_SPACE, SECOND_NEIGHBOUR, WORKERS };

static struct uat_identity identity[WORKERS];
static const struct uat_identity *list[WORKERS];
static const struct uat_roster roster = {.size = WORKERS, .identity = list};

static bool close_at_signal; /* the next signal finds that another thread has closed the worker's list */

/* The linker puts this between uat_neighbour_end() and the C library. */
int __real_sigqueue(pid_t pid, int number, const union sigval value);
int __wrap_sigqueue(pid_t pid, int number, const union sigval value);
int __wrap_sigqueue(pid_t pid, int number, const union sigval value)
{
    if (close_at_signal)
        uat_neighbour_close();
    close_at_signal = false;
    return __real_sigqueue(pid, number, value);
}

/* What this worker sees: the time, and the states of the other workers. The linker puts these functions before those
 * of the library. */
static uint64_t now;
static char state_of[WORKERS];
static int lines;

uint64_t __wrap_uat_clock_seconds(void);
uint64_t __wrap_uat_clock_seconds(void)
{
    return now;
}

bool __wrap_uat_process_look(pid_t pid, struct uat_process *out);
bool __wrap_uat_process_look(pid_t pid, struct uat_process *out)
{
    for (int rank = SELF; rank < WORKERS; rank++)
        if (identity[rank].pid == pid)
            *out = (struct uat_process){.state = state_of[rank]};
    return true;
}

void __wrap_uat_log(enum uat_log_level level, const char *format, ...);
void __wrap_uat_log(enum uat_log_level level, const char *format, ...)
{
    lines += level == UAT_LOG_WARN;
}

static int start_all(void **state)
{
    for (int rank = 0; rank < WORKERS; rank++) {
        pid_t pid = rank == SELF ? getpid() : fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                pause();
        }
        identity[rank] = (struct uat_identity){.pid = pid, .pid_space = rank == OTHER_SPACE ? 8 : 7};
        identity[rank].binding.machine = rank == OTHER_MACHINE ? 2 : 1;
        list[rank] = &identity[rank];
    }
    uat_self.rank = SELF;
    uat_self.size = WORKERS;
    return 0;
}

/* Returns the signal that ended the worker: SIGKILL from this function, unless a signal was sent before. */
static int end_of(int rank)
{
    int status;
    kill(identity[rank].pid, SIGKILL);
    assert_int_equal(waitpid(identity[rank].pid, &status, 0), identity[rank].pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void open_as(const char *launcher)
{
    uat_job_settings = (struct uat_job_settings){.stall_timeout = 5, .stall_limit = 120};
    assert_int_equal(uat_neighbour_open(&roster, launcher), 0);
}

TEST_WITH(end, start_all, NULL)
{
    open_as("srun");
    uat_neighbour_end();
    assert_int_equal(end_of(NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(SECOND_NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(OTHER_MACHINE), SIGKILL);
    assert_int_equal(end_of(OTHER_SPACE), SIGKILL);
    uat_neighbour_close();
}

/* A handler that has begun ends all workers that it has counted, although another thread closes at its first signal. */
TEST_WITH(close_meanwhile, start_all, NULL)
{
    open_as("srun");
    close_at_signal = true;
    uat_neighbour_end();
    assert_int_equal(end_of(NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(SECOND_NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(OTHER_MACHINE), SIGKILL);
    assert_int_equal(end_of(OTHER_SPACE), SIGKILL);
}

/* Under uatrun, a worker ends no other worker: uatrun itself ends them, in its own order. */
TEST_WITH(uatrun, start_all, NULL)
{
    open_as("uatrun");
    uat_neighbour_end();
    for (int rank = SELF + 1; rank < WORKERS; rank++)
        assert_int_equal(end_of(rank), SIGKILL);
}

TEST_WITH(closed, start_all, NULL)
{
    open_as("srun");
    uat_neighbour_close();
    uat_neighbour_end();
    for (int rank = SELF + 1; rank < WORKERS; rank++)
        assert_int_equal(end_of(rank), SIGKILL);
}

/* This test sends no real signal, because a signal to process -1 would reach all processes of this user. */
TEST_WITH(numbers, start_all, NULL)
{
    static const int32_t refused[] = {0, -1, INT32_MIN, 1};
    static struct uat_endpoint endpoint[WORKERS];
    const struct uat_roster full = {.size = WORKERS, .identity = list, .endpoint = endpoint};
    for (int rank = SELF; rank < WORKERS; rank++)
        endpoint[rank].host = "here";
    assert_int_equal(uat_roster_check(&full, SELF), 0);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        for (int rank = NEIGHBOUR; rank < WORKERS; rank++) {
            int32_t pid = identity[rank].pid;
            identity[rank].pid = refused[i];
            int rc = uat_roster_check(&full, SELF);
            identity[rank].pid = pid;
            assert_int_equal(rc, refused[i] == 1 && rank == OTHER_SPACE ? 0 : -EPROTO);
        }
    identity[SELF].pid = 1; /* the first process of a container that contains only this worker */
    assert_int_equal(uat_roster_check(&full, SELF), 0);
    identity[SELF].pid = getpid();
    for (int rank = NEIGHBOUR; rank < WORKERS; rank++)
        end_of(rank);
}

/* The neighbour is in this state for some more seconds; this worker looks several times a second. Returns the number of
 * lines that this worker has printed meanwhile. */
static int look_for(int seconds, char neighbour)
{
    int before = lines;
    state_of[NEIGHBOUR] = neighbour;
    for (int i = 0; i < seconds; i++, now++)
        for (int k = 0; k < 3; k++)
            uat_neighbour_look();
    return lines - before;
}

static const struct uat_identity here = {.pid = 100, .pid_space = 7, .binding.machine = 1},
                                 near = {.pid = 101, .pid_space = 7, .binding.machine = 1};

/* The test is rank 0 of 2. No process has the numbers, and none gets a signal. */
static int watch(void **state)
{
    static const struct uat_identity *both[2] = {&here, &near};
    const struct uat_roster pair = {.size = 2, .identity = both};
    identity[SELF] = here;
    identity[NEIGHBOUR] = near;
    uat_self.rank = SELF;
    uat_self.size = 2;
    now += 1000;
    uat_job_settings = (struct uat_job_settings){.stall_timeout = 5, .stall_limit = 10};
    return uat_neighbour_open(&pair, "srun");
}

static int stop_watching(void **state)
{
    uat_neighbour_close();
    return 0;
}

TEST_WITH(one_stop, watch, stop_watching)
{
    assert_int_equal(look_for(4, 'T'), 0);
    assert_int_equal(look_for(1, 'T'), 1);
    assert_int_equal(look_for(4, 'T'), 0);
    assert_int_equal(look_for(1, 'S'), 1); /* it goes on */
    assert_int_equal(look_for(20, 'S'), 0);
    assert_int_equal(look_for(5, 'T'), 1); /* the next stop has its own line */
    assert_int_equal(look_for(1, 'S'), 1);
}

/* Short stops do not add up, neither to a line nor to the end of the job. */
TEST_WITH(short_stops, watch, stop_watching)
{
    for (int i = 0; i < 20; i++) {
        assert_int_equal(look_for(4, 'T'), 0);
        assert_int_equal(look_for(1, 'R'), 0);
    }
}

/* A debugger may stop a neighbour for any time. */
TEST_WITH(debugged, watch, stop_watching)
{
    assert_int_equal(look_for(20, 't'), 0);
}
