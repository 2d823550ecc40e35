/* SPDX-License-Identifier: MIT */
#include "runtime/sched/alone.h"

#include <assert.h>

#include "runtime/job/crew.h"
#include "runtime/job/self.h"
#include "runtime/segment/room.h"

enum { MOST = 8 /* rooms that have work */ };

static const struct uat_work *works[MOST + 1]; /* the `work` of those rooms in the table's order, then NULL */

void uat_alone_open(void)
{
    size_t count = 0;
    UAT_EACH_ROOM(room, work)
    {
        assert(count < MOST);
        works[count++] = (*room)->work;
    }
    works[count] = NULL;
}

bool uat_alone_take_own(struct uat_alone *task)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->take_own && (*w)->take_own(task))
            return true;
    return false;
}

bool uat_alone_take_other(struct uat_alone *task)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->take_other && (*w)->take_other(task))
            return true;
    return false;
}

bool uat_alone_any(void)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->any && (*w)->any())
            return true;
    return false;
}

bool uat_alone_take_bound(struct uat_alone *task)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->take_own && !(*w)->offer && (*w)->take_own(task))
            return true;
    return false;
}

void uat_alone_offer(void)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->offer)
            (*w)->offer();
}

int uat_alone_active(void)
{
    int lowest = uat_self.size, limit;
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->active && (limit = (*w)->active()) < lowest)
            lowest = limit;
    return lowest;
}

bool uat_alone_takes(void)
{
    return !uat_crew_leaves() && uat_self.rank < uat_alone_active();
}

void uat_alone_ended(uint64_t name)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->ended && (*w)->ended(name))
            return;
}

void uat_alone_child_ended(uint64_t name, uint64_t views)
{
    for (const struct uat_work **w = works; *w; w++)
        if ((*w)->child_ended)
            (*w)->child_ended(name, views);
}
