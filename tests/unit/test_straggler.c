/* SPDX-License-Identifier: MIT */
/* Description: of the workers that wait for a late rank, the lowest one prints a line. If it stops waiting, another one
 * prints a line. The test is rank 2 of a job of WORKERS, and makes up the others. */
#include <stdint.h>

#include "base/log.h"
#include "runtime/job/call.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "runtime/job/stall.h"
#include "runtime/job/straggler.h"
#include "tests/test.h"

enum { LATE_RANK = 3, WORKERS = 4, TIMEOUT = 5, STEP = 1000 /* seconds from one test to the next */ };

static enum uat_peer_call peer[WORKERS]; /* what this worker finds when it looks at a rank */
static uint64_t now;
static int lines, looks;

/* The linker puts these in place of the library's. */
enum uat_peer_call __wrap_uat_call_look(int rank, uint64_t *word);
const char *__wrap_uat_call_name(void);
uint64_t __wrap_uat_stall_seconds(void);
void __wrap_uat_log(enum uat_log_level level, const char *format, ...);

enum uat_peer_call __wrap_uat_call_look(int rank, uint64_t *word)
{
    looks++;
    *word = 0;
    return peer[rank];
}
const char *__wrap_uat_call_name(void)
{
    return "uat_barrier()";
}
uint64_t __wrap_uat_stall_seconds(void)
{
    return now;
}
void __wrap_uat_log(enum uat_log_level level, const char *format, ...)
{
    lines += level == UAT_LOG_WARN;
}

static int start(void **state)
{
    uat_self.rank = 2;
    uat_self.size = WORKERS;
    uat_job_settings = (struct uat_job_settings){.stall_timeout = TIMEOUT};
    for (int rank = 0; rank < WORKERS; rank++)
        peer[rank] = rank == LATE_RANK ? UAT_PEER_LATE : UAT_PEER_WAITING;
    now += STEP;
    lines = 0;
    return 0;
}

/* Wait in a barrier for some more seconds. Returns the number of lines that this worker has printed meanwhile. */
static int wait_for(int seconds)
{
    int before = lines;
    for (int i = 0; i <= seconds; i++, now++)
        uat_straggler_barrier(LATE_RANK);
    return lines - before;
}

/* Wait in a run for rank 0. */
static int wait_for_root(int seconds)
{
    int before = lines;
    for (int i = 0; i <= seconds; i++, now++)
        uat_straggler_root();
    return lines - before;
}

/* A look per second at the late rank, and few looks at the others. */
TEST_WITH(lower_rank_waits, start, NULL)
{
    looks = 0;
    assert_int_equal(wait_for(100), 0);
    assert_in_range(looks, 100, 110);
    uat_straggler_over();
}

/* A wait that another rank reports does not count as this worker's longest. */
TEST_WITH(lower_rank_waited_before, start, NULL)
{
    peer[0] = UAT_PEER_LATE;
    uat_straggler_run();
    assert_int_equal(wait_for_root(100), 0);
    uat_straggler_over();
    peer[1] = UAT_PEER_LATE;
    assert_int_equal(wait_for_root(TIMEOUT), 1);
    uat_straggler_over();
}

TEST_WITH(lower_rank_stops_waiting, start, NULL)
{
    assert_int_equal(wait_for(4 * TIMEOUT), 0);
    peer[0] = peer[1] = UAT_PEER_BUSY;
    assert_int_equal(wait_for(4 * TIMEOUT), 1);
    assert_int_equal(wait_for(100), 0); /* once only */
    uat_straggler_over();
    assert_int_equal(wait_for(100), 0); /* not twice as long */
    assert_int_equal(wait_for(200), 1);
    uat_straggler_over();
}
