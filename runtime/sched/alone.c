/* SPDX-License-Identifier: MIT */
#include "runtime/sched/alone.h"

static bool take_none(struct uat_alone *task)
{
    (void)task;
    return false;
}

static bool has_none(void)
{
    return false;
}

static bool takes(void)
{
    return true;
}

struct uat_alone_source uat_alone_source = {
    .take_own = take_none, .take_other = take_none, .any = has_none, .takes = takes};
