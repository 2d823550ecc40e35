/* SPDX-License-Identifier: MIT */
#include "runtime/task/steal.h"

#include "base/config.h"
#include "base/log.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/victims.h"

_Static_assert(UAT_PEEKS_LIMIT == UAT_PEEKS_MAX, "base/config.h is out of step with deque/thief.h");

static struct {
    struct uat_thief thief;
    uat_steal_fn *protocol;
} stealing;

int uat_steal_open(const struct uat_options *options)
{
    int rc = uat_thief_open(&stealing.thief, uat_self.transport, uat_coloured(uat_segment.ring, -uat_segment.colour),
                            uat_segment.landing);
    if (rc) {
        uat_error("no memory for the thief's notes on %d workers", uat_self.size);
        return rc;
    }
    stealing.thief.low = uat_segment.low;
    stealing.thief.high = uat_segment.high;
    stealing.thief.colours = uat_segment.colours;
    stealing.thief.peek = options->peek != 0;
    stealing.protocol = options->deque == UAT_DEQUE_LOCK ? uat_lock_steal : uat_claim_steal;
    return 0;
}

void uat_steal_close(void)
{
    uat_thief_close(&stealing.thief);
}

int uat_steal_try(struct uat_stolen *stolen)
{
    struct uat_victims victims;
    uat_victims_choose(&victims);
    return uat_steal_from(&victims, stolen);
}

int uat_steal_from(const struct uat_victims *victims, struct uat_stolen *stolen)
{
    return stealing.protocol(&stealing.thief, victims, stolen);
}

int uat_steal_ready(struct uat_ready *ready, struct uat_ready_task *task, bool *fetched, unsigned *trips)
{
    struct uat_victims victims;
    uat_victims_choose(&victims);
    return uat_ready_steal(ready, &stealing.thief, &victims, task, fetched, trips);
}

const struct uat_thief_counts *uat_steal_counts(void)
{
    return &stealing.thief.count;
}
