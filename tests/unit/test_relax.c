/* SPDX-License-Identifier: MIT */
/* Description: a long wait sleeps at last. It looks a minimum number of times before it sleeps; a worker with a core of
 * its own looks more often. No sleep takes a large part of the wait so far. None takes more than 20 ms, or 1 ms with a
 * core of its own. */
#include <stdint.h>
#include <time.h>

#include "base/relax.h"
#include "tests/test.h"

enum {
    LOOKS = 100000,
    BEFORE = 1000,      /* minimum number of looks before the first sleep, if workers outnumber cores */
    BEFORE_NS = 400000, /* minimum time that 2000 looks take */
    BEFORE_ALONE = 20000,
    SLEEP_MAX_NS = 20000000,
    SLEEP_MAX_ALONE_NS = 1000000
};

static long slept; /* duration of the last look's sleep; 0: it did not sleep */

int __wrap_nanosleep(const struct timespec *request, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *request, struct timespec *rest)
{
    assert_int_equal(request->tv_sec, 0);
    slept = request->tv_nsec;
    return 0;
}

static void wait_long(bool oversubscribed, int before, long most)
{
    struct uat_relax relax = {0};
    uint64_t all = BEFORE_NS;
    long longest = 0;
    uat_relax_oversubscribed = oversubscribed;
    for (int i = 0; i < LOOKS; i++) {
        slept = 0;
        bool said = uat_relax_long(&relax);
        assert_int_equal(said, slept > 0);
        if (i < before)
            assert_int_equal(slept, 0);
        assert_true((uint64_t)slept * 10 < all);
        assert_true(slept >= longest);
        longest = slept;
        all += (uint64_t)slept;
    }
    assert_int_equal(relax.spins, LOOKS);
    assert_int_equal(longest, most);
}

TEST(cores_for_all)
{
    wait_long(false, BEFORE_ALONE, SLEEP_MAX_ALONE_NS);
}

TEST(more_workers_than_cores)
{
    wait_long(true, BEFORE, SLEEP_MAX_NS);
}
