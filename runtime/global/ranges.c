/* SPDX-License-Identifier: MIT */
#include "runtime/global/state.h"

bool uat_ranges_meet(const struct uat_ranges *set, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->range[i].from < to && from < set->range[i].to)
            return true;
    return false;
}

bool uat_ranges_add(struct uat_ranges *set, uint64_t from, uint64_t to)
{
    for (unsigned i = set->count; i-- > 0;) { /* backwards: a loop mostly extends the range that it added last */
        if (set->range[i].to == from) {
            set->range[i].to = to;
            return true;
        }
        if (set->range[i].from == to) {
            set->range[i].from = from;
            return true;
        }
    }
    if (set->count == UAT_RANGES_MAX)
        return false;
    set->range[set->count].from = from;
    set->range[set->count++].to = to;
    return true;
}
