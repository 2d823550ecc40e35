/* SPDX-License-Identifier: MIT */
/* Description: the time of a wait. A wait that lasts is reported once, after UAT_STALL_TIMEOUT seconds. Short waits do
 * not add up, also if they are waits for the same thing. The wait for a part goes on although the task that waits may
 * move to another worker, but the time of the move does not count. */
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "runtime/job/stall.h"
#include "tests/test.h"

enum { TIMEOUT = 5, OBJECT = 1000, HOLDER = 3, SECOND = 1000000000 };

static uint64_t now; /* seconds */
static int lines;

/* The linker puts these functions before those of the library. */
uint64_t __wrap_uat_clock_seconds(void);
uint64_t __wrap_uat_clock_seconds(void)
{
    return now;
}

uint64_t __wrap_uat_clock_ns(void);
uint64_t __wrap_uat_clock_ns(void)
{
    return now * SECOND;
}

void __wrap_uat_log(enum uat_log_level level, const char *format, ...);
void __wrap_uat_log(enum uat_log_level level, const char *format, ...)
{
    lines += level == UAT_LOG_WARN;
}

static uint64_t number; /* of the fence about which this worker would print a line */

bool __wrap_uat_alike_speaks(const char *what, uint64_t which);
bool __wrap_uat_alike_speaks(const char *what, uint64_t which)
{
    number = which;
    return true;
}

static int start(void **state)
{
    uat_job_settings = (struct uat_job_settings){.stall_timeout = TIMEOUT};
    uat_self.rank = 0;
    uat_self.size = 0; /* there is no other worker to READ from */
    now += 1000;
    return 0;
}

/* Wait for a guard for some more seconds. Returns the number of lines that this worker has printed meanwhile. */
static int wait_for(uint64_t object, int seconds)
{
    int before = lines;
    for (int i = 0; i < seconds; i++, now++) {
        uat_stall_guard(object, HOLDER);
        uat_stall_guard(object, HOLDER);
    }
    uat_stall_guard(object, HOLDER);
    return lines - before;
}

TEST_WITH(one_wait, start, NULL)
{
    assert_int_equal(wait_for(OBJECT, TIMEOUT - 1), 0);
    assert_int_equal(wait_for(OBJECT, 1), 1);
    assert_int_equal(wait_for(OBJECT, 20), 0);
    uat_stall_over();
    assert_int_equal(wait_for(OBJECT, TIMEOUT), 1); /* the next wait has its own line */
    uat_stall_over();
}

TEST_WITH(short_waits, start, NULL)
{
    for (int i = 0; i < 20; i++) {
        assert_int_equal(wait_for(OBJECT, TIMEOUT - 1), 0);
        uat_stall_over();
    }
    for (uint64_t i = 0; i < 20; i++) /* another object each time, and the last wait has not been ended */
        assert_int_equal(wait_for(OBJECT + i % 2, TIMEOUT - 1), 0);
    uat_stall_over();
}

/* Each fence has a number of its own, by which the workers of a host agree on one that prints the line. */
TEST_WITH(fences, start, NULL)
{
    for (uint64_t fence = 0; fence < 3; fence++) {
        int before = lines;
        for (int i = 0; i <= TIMEOUT; i++, now++)
            uat_stall_fence();
        assert_int_equal(lines - before, 1);
        assert_int_equal(number, fence);
        uat_stall_fence_over();
    }
}

static int wait_for_part(struct uat_part_wait *wait, int seconds)
{
    int before = lines;
    for (int i = 0; i < seconds; i++, now++)
        uat_stall_part(wait);
    return lines - before;
}

TEST_WITH(part, start, NULL)
{
    struct uat_part_wait wait = {.part = 7};
    assert_int_equal(wait_for_part(&wait, TIMEOUT), 0); /* the first look only begins the wait */
    uat_self.rank = 1;
    now += 100; /* until the task is on the other worker */
    assert_int_equal(wait_for_part(&wait, 1), 0);
    assert_int_equal(wait_for_part(&wait, 1), 1);
    assert_int_equal(wait_for_part(&wait, 20), 0);
    struct uat_part_wait next = {.part = 8};
    assert_int_equal(wait_for_part(&next, TIMEOUT), 0);
    assert_int_equal(wait_for_part(&next, 1), 1);
}
