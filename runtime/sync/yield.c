/* SPDX-License-Identifier: MIT */
#include "include/uat/limit.h"
#include "include/uat/sync.h"

#include "runtime/sched/sleep.h"
#include "runtime/sync/waitobj.h"

void uat_yield(void)
{
    static struct uat_park wait = {.kind = UAT_PARK_NONE, .park = uat_park_at_once};
    uat_park(&wait);
}

static void park_sleeper(struct uat_park *wait, uint64_t name)
{
    const struct uat_parked *parked = (const struct uat_parked *)(const void *)uat_waitobj_address(name);
    const struct uat_sleeper sleeper = {wait->tag, {.sp = parked->sp, .base = parked->base, .where = name}};
    uat_sleep_add(&sleeper);
}

void uat_sleep_for(uint64_t ns)
{
    struct uat_park wait = {.kind = UAT_PARK_SLEEP, .tag = uat_sleep_due(ns), .park = park_sleeper};
    uat_park(&wait);
}
