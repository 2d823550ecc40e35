/* SPDX-License-Identifier: MIT */
#include "base/relax.h"

#include <time.h>

#include "base/kernel.h"

enum {
    LOOKS = 2000,        /* polls before the first sleep */
    LOOKS_ALONE = 30000, /* the same for a worker with a core of its own: some 10 ms, of which most polls yield */
    SLEEP_NS = 20000,
    SLEEPS = 16, /* sleeps of each length; so the first n sleeps last about n^2 / 32 * SLEEP_NS together */
    SLEEP_MAX_NS = 20000000,
    SLEEP_MAX_ALONE_NS = 1000000
};

bool uat_relax_oversubscribed;
UAT_KERNEL(uat_relax_oversubscribed);
struct uat_relax_gate uat_relax_gate;
UAT_KERNEL(uat_relax_gate);

bool uat_relax_long(struct uat_relax *r)
{
    unsigned looks = uat_relax_oversubscribed ? LOOKS : LOOKS_ALONE;
    if (r->spins < looks || UAT_IS_VIRTUAL()) {
        uat_relax(r);
        return false;
    }
    uat_relax_look();
    long most = uat_relax_oversubscribed ? SLEEP_MAX_NS : SLEEP_MAX_ALONE_NS;
    long ns = (long)SLEEP_NS * (1 + (r->spins++ - looks) / SLEEPS);
    nanosleep(&(struct timespec){.tv_nsec = ns < most ? ns : most}, NULL);
    return true;
}
