/* SPDX-License-Identifier: MIT */
/* Description: a worker that the launcher does not answer ends the other workers of its machine, and nobody else. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/start/self.h"
#include "runtime/watch/neighbour.h"

enum { SELF, NEIGHBOUR, OTHER_MACHINE, OTHER_SPACE, SECOND_NEIGHBOUR, WORKERS };

static struct uat_identity identity[WORKERS];
static const struct uat_identity *list[WORKERS];
static const struct uat_roster roster = {.size = WORKERS, .identity = list};

static int start_all(void **state)
{
    (void)state;
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

/* The signal that has ended it. One that was sent before a SIGKILL counts. */
static int end_of(int rank)
{
    int status;
    kill(identity[rank].pid, SIGKILL);
    assert_int_equal(waitpid(identity[rank].pid, &status, 0), identity[rank].pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void open_as(const char *launcher)
{
    struct uat_options options = {.stall_timeout = 5, .stall_limit = 120};
    assert_int_equal(uat_neighbour_open(&options, &roster, launcher), 0);
}

static void test_end(void **state)
{
    (void)state;
    open_as("srun");
    uat_neighbour_end();
    assert_int_equal(end_of(NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(SECOND_NEIGHBOUR), SIGTERM);
    assert_int_equal(end_of(OTHER_MACHINE), SIGKILL);
    assert_int_equal(end_of(OTHER_SPACE), SIGKILL);
    uat_neighbour_close();
}

/* uatrun ends them itself, in its own order. */
static void test_uatrun(void **state)
{
    (void)state;
    open_as("uatrun");
    uat_neighbour_end();
    for (int rank = SELF + 1; rank < WORKERS; rank++)
        assert_int_equal(end_of(rank), SIGKILL);
}

static void test_closed(void **state)
{
    (void)state;
    open_as("srun");
    uat_neighbour_close();
    uat_neighbour_end();
    for (int rank = SELF + 1; rank < WORKERS; rank++)
        assert_int_equal(end_of(rank), SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_end, start_all),
        cmocka_unit_test_setup(test_uatrun, start_all),
        cmocka_unit_test_setup(test_closed, start_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
