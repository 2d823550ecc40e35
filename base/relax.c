/* SPDX-License-Identifier: MIT */
#include "base/relax.h"

#include <time.h>

enum {
    LOOKS = 2000, /* polls before the first sleep */
    SLEEP_NS = 20000,
    SLEEPS = 16, /* sleeps of each length; so the first n sleeps last about n^2 / 32 * SLEEP_NS together */
    SLEEP_MAX_NS = 20000000
};

bool uat_relax_oversubscribed;

bool uat_relax_long(struct uat_relax *r)
{
    if (!uat_relax_oversubscribed || r->spins < LOOKS) {
        uat_relax(r);
        return false;
    }
    long ns = (long)SLEEP_NS * (1 + (r->spins++ - LOOKS) / SLEEPS);
    nanosleep(&(struct timespec){.tv_nsec = ns < SLEEP_MAX_NS ? ns : SLEEP_MAX_NS}, NULL);
    return true;
}
